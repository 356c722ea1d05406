// What of the editor's settings the server is started with, and told.
"use strict";

const path = require("path");

/** The compiler: `warpcc` on PATH, or a path, in which `~` and the workspace's folder are put in. */
function compiler(configured, folder, home) {
  const given = (configured || "").trim() || "warpcc";
  const placed = given.replace(/^~(?=\/|\\)/, home || "~").replace(/\$\{workspaceFolder\}/g, folder || ".");
  const isName = !/[\\/]/.test(placed);
  return isName || path.isAbsolute(placed) || !folder ? placed : path.join(folder, placed);
}

/** What the server takes: `-D` and `-I` of the command line. */
function serverOptions(configuration, folder) {
  const defines = {};
  for (const [name, value] of Object.entries(configuration.defines || {})) defines[name] = String(value);
  const includePath = (configuration.includePath || []).map((each) => {
    const placed = String(each).replace(/\$\{workspaceFolder\}/g, folder || ".");
    return path.isAbsolute(placed) || !folder ? placed : path.join(folder, placed);
  });
  return { defines, includePath };
}

module.exports = { compiler, serverOptions };
