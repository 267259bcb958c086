// @xterm/headless as an engine of tests/oracle: node xterm_js.mjs NODE_MODULES; lines as in ours.cpp.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const { Terminal } = createRequire(process.argv[2] + '/')('@xterm/headless');

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const terminal = new Terminal({ cols: request.cols, rows: request.rows, scrollback: 1000, allowProposedApi: true });
  let replies = '';
  terminal.onData((data) => { replies += data; });
  const write = (data) => new Promise((done) => terminal.write(data, done));
  const looks = [];
  for (const step of request.steps) {
    if (step.feed !== undefined) {
      await write(Buffer.from(step.feed, 'base64'));
    } else if (step.resize !== undefined) {
      terminal.resize(...step.resize);
    } else {
      replies = '';
      await write('\x18\x1b[6n');
      const buffer = terminal.buffer.active;
      const rows = [];
      for (let r = 0; r < terminal.rows; ++r) rows.push(buffer.getLine(buffer.baseY + r).translateToString(true).trimEnd());
      looks.push({ rows, cursor: (/\[(\d+;\d+)R/.exec(replies) || ['', ''])[1], alt: buffer.type === 'alternate' });
    }
  }
  terminal.dispose();
  console.log(JSON.stringify({ looks }));
}
