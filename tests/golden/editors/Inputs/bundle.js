// node bundle.js STAND_IN.js BUNDLE.js: loads the bundled extension with a stand-in for the editor, and says what it exports.
"use strict";

const Module = require("node:module");

const [standIn, bundle] = process.argv.slice(2);
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  return request === "vscode" ? "vscode" : resolve.call(this, request, ...rest);
};
require.cache.vscode = { id: "vscode", filename: "vscode", loaded: true, exports: require(standIn).vscode };
console.log(Object.keys(require(bundle)).sort().join(" "));
