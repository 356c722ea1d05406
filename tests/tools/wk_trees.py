#!/usr/bin/env python3
"""wk_trees.py GRAMMAR FOLDER COMMAND …: the tree-sitter grammar of editors/tree-sitter-wk, compiled into FOLDER.

    files PATH…     each parses without an error, folders with all `.wk` below them; of a Markdown document each block marked `wk` that is
                    not refused, as a file, as members of a kernel, or as statements
    corpus PATH…    what the trees of texts are, in the format of tree-sitter's own tests
    colours QUERY FILE   each word with the name that the query gives it; of several the last
    query QUERY…    each fits the grammar

Needs the Python package tree-sitter (tools/editor_deps.sh) and a C compiler."""
import ctypes
import glob
import os
import re
import subprocess
import sys
import warnings

import tree_sitter

MEMBERS = "kernel around() on sm_100a {\n%s\n}\n"
STATEMENTS = MEMBERS % "start {\n%s\n}"


def compiled(grammar, folder):
    source, library = os.path.join(grammar, "src"), os.path.join(folder, "wk.so")
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-I", source, os.path.join(source, "parser.c"), "-o", library], check=True)
    make = ctypes.CDLL(library).tree_sitter_wk
    make.restype = ctypes.c_void_p
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # an address in place of a capsule
        return tree_sitter.Language(make())


def first_error(node):
    if node.type == "ERROR" or node.is_missing:
        return node
    for child in node.children if node.has_error else []:
        if found := first_error(child):
            return found
    return None


def pieces(path):
    """Where each text begins in the file, and what it may be a piece of."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not path.endswith(".md"):
        yield 1, text, ["%s"]
        return
    for block in re.finditer(r"^```wk\b(.*)\n((?:.*\n)*?)```$", text, re.M):
        if "refused" not in block.group(1):
            yield text.count("\n", 0, block.start(2)) + 1, block.group(2), ["%s", MEMBERS, STATEMENTS]


def files(parser, paths):
    all_paths = []
    for path in paths:
        found = sorted(glob.glob(os.path.join(path, "**", "*.wk"), recursive=True)) if os.path.isdir(path) else [path]
        if not found:
            sys.exit(f"{path}: no files")
        all_paths += found
    count = failed = 0
    for path in all_paths:
        for line, text, around in pieces(path):
            count += 1
            errors = [first_error(parser.parse((each % text if each != "%s" else text).encode()).root_node) for each in around]
            if all(errors):
                failed += 1
                print(f"{path}:{line + errors[0].start_point[0]}: {errors[0].type or 'missing'}")
    print(f"{count} texts, {failed} with errors")
    return failed


def corpus(parser, paths):
    count = failed = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            tests = re.findall(r"^=+\n(.+)\n=+\n((?:.*\n)*?)---+\n((?:(?!===).*\n)*)", file.read(), re.M)
        for name, text, wanted in tests:
            count += 1
            made = str(parser.parse(text.encode()).root_node)
            if re.sub(r"\s+", " ", wanted).strip().replace("( ", "(").replace(" )", ")") != made:
                failed += 1
                print(f"{path}: {name}: {made}")
    print(f"{count} trees, {failed} wrong")
    return failed or count == 0


def query_of(language, path):
    with open(path, encoding="utf-8") as file:
        return tree_sitter.Query(language, file.read())


def colours(parser, language, query, path):
    with open(path, "rb") as file:
        text = file.read()
    names = {}
    matches = tree_sitter.QueryCursor(query_of(language, query)).matches(parser.parse(text).root_node)
    for _, captures in sorted(matches, key=lambda match: match[0]):
        for name, nodes in captures.items():
            for node in nodes:
                names[node.start_byte, node.end_byte] = name
    for begin, end in sorted(names):
        words = text[begin:end].decode()
        if "\n" not in words:
            line = text.count(b"\n", 0, begin) + 1
            print(f"{line}: {words}  {names[begin, end]}")


def main():
    grammar, folder, command, *paths = sys.argv[1:]
    language = compiled(grammar, folder)
    parser = tree_sitter.Parser(language)
    if command == "files":
        sys.exit(1 if files(parser, paths) else 0)
    if command == "corpus":
        sys.exit(1 if corpus(parser, paths) else 0)
    if command == "query":
        for path in paths:
            query_of(language, path)
    else:
        colours(parser, language, *paths)


main()
