// MB/s of @xterm/headless over each file, a line each: node xterm_js.mjs NODE_MODULES FILE...
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const [modules, ...files] = process.argv.slice(2);
const { Terminal } = createRequire(modules + '/')('@xterm/headless');

async function speed(bytes) {
  const terminal = new Terminal({ cols: 80, rows: 24, scrollback: 10000, allowProposedApi: true });
  const start = process.cpuUsage();
  for (let at = 0; at < bytes.length; at += 65536)
    await new Promise((done) => terminal.write(bytes.subarray(at, at + 65536), done));
  const used = process.cpuUsage(start);
  terminal.dispose();
  return bytes.length / (used.user + used.system);
}

for (const file of files) {
  const bytes = readFileSync(file);
  const runs = [];
  for (let n = 0; n < 3; ++n) runs.push(await speed(bytes));
  console.log(runs.sort((a, b) => a - b)[1].toFixed(1));
}
