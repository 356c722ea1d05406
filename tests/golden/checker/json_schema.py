#!/usr/bin/env python3
"""json_schema.py SCHEMA [KIND ...] < what `warpcc check --format json` wrote: it is as the schema says, with a finding of each KIND."""
import json
import sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}


def wrong(value, schema, at):
    """What differs, of the words of JSON Schema that the schema uses."""
    known = {"$schema", "title", "description", "type", "additionalProperties", "required", "properties", "items", "enum", "minimum"}
    if not set(schema) <= known:
        return [f"{at}: the schema says {set(schema) - known}, which is not looked at here"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{at} is {value!r}, not of {schema['enum']}"]
    if not isinstance(value, TYPES[schema["type"]]) or (schema["type"] == "integer" and isinstance(value, bool)):
        return [f"{at} is {value!r}, no {schema['type']}"]
    found = []
    if schema["type"] == "integer" and value < schema.get("minimum", 0):
        found.append(f"{at} is {value}")
    if schema["type"] == "object":
        found += [f"{at} has no {name}" for name in schema["required"] if name not in value]
        for name, each in value.items():
            if name in schema["properties"]:
                found += wrong(each, schema["properties"][name], f"{at}.{name}")
            else:
                found.append(f"{at} has {name}, which the schema does not know")
    if schema["type"] == "array":
        for i, each in enumerate(value):
            found += wrong(each, schema["items"], f"{at}[{i}]")
    return found


with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
outcome = json.load(sys.stdin)
found = wrong(outcome, schema, "outcome")
kinds = {finding["kind"] for finding in outcome["findings"]}
found += [f"no finding of {kind}, but of {kinds}" for kind in sys.argv[2:] if kind not in kinds]
print(*found, sep="\n")
sys.exit(1 if found else 0)
