#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "common/error.hpp"

/// A failed check of a Result shows the error.
template <class T>
struct Catch::StringMaker<boost::system::result<T, smartcli::Error>> {
  static std::string convert(const boost::system::result<T, smartcli::Error>& result) {
    if (result.has_value()) return "a value";
    return std::string(smartcli::info(result.error().code).name) + ": " + result.error().message;
  }
};
