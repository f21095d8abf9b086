#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/api/gen/*.c from api/*.api (the format: api/README.md).

    tools/gen_api.py                 write what changed
    tools/gen_api.py --check         exit 1 when the committed output is stale
    tools/gen_api.py --strict-docs   also require a description on every field

Three steps, each a section below: parse the lines into a model, check the model, emit C tables.
Nothing here knows a group or a kind: a new group version is a new .api file.
"""
import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCALARS = {
    "string": "string", "int32": "int32", "int64": "int64", "bool": "bool", "double": "double", "bytes": "bytes",
    "Time": "time", "MicroTime": "microtime", "Duration": "duration", "Quantity": "quantity",
    "IntOrString": "int_or_string", "RawObject": "raw_object", "Any": "any", "Bandwidth": "bandwidth",
}
VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
NAME_RULES = {"subdomain": "DNS_SUBDOMAIN", "label": "DNS_LABEL", "label1035": "DNS1035_LABEL", "path": "PATH_SEGMENT"}
KIND_FLAGS = {
    "namespaced": "API_NAMESPACED", "generation": "API_GENERATION", "rv-required": "API_RV_REQUIRED",
    "put-creates": "API_PUT_CREATES", "orphan": "API_ORPHAN_DEFAULT", "create-only": "API_CREATE_ONLY",
}
FIELD_FLAGS = {
    "required": "SCHEMA_REQUIRED", "ptr": "SCHEMA_POINTER", "always": "SCHEMA_ALWAYS",
    "immutable": "SCHEMA_IMMUTABLE", "inline": "SCHEMA_INLINE",
}
PATCHES = {"merge": "SCHEMA_PATCH_MERGE", "replace": "SCHEMA_PATCH_REPLACE", "retainKeys": "SCHEMA_PATCH_RETAIN_KEYS"}
RULE_NUMBERS = {  # attribute: (member of struct schema_rules, its has_ member)
    "min": "min", "max": "max", "minLength": "min_len", "maxLength": "max_len", "minItems": "min_items",
    "maxItems": "max_items",
}
DOC_MAX = 120
SCAN_MAX = 4  # types with up to this many fields are scanned instead of hashed


class ApiError(Exception):
    pass


# ---------------------------------------------------------------- parse

class Line:
    """One line, cut into words; the description (a trailing quoted word) is apart."""
    WORD = re.compile(r'(?:[^\s"]|"(?:[^"\\]|\\.)*")+')

    def __init__(self, path, number, text):
        self.where = f"{path.name}:{number}"
        self.indented = text.startswith((" ", "\t"))
        self.words = self.WORD.findall(text)
        if self.WORD.sub("", text).strip():
            raise ApiError(f"{self.where}: unbalanced quote")
        self.doc = None
        if len(self.words) > 1 and self.words[-1].startswith('"'):
            self.doc = json.loads(self.words.pop())

    def fail(self, message):
        raise ApiError(f"{self.where}: {message}")

    def attrs(self, start):
        """Words from start on as {name: value}; a bare word has the value None."""
        result = {}
        for word in self.words[start:]:
            name, eq, value = word.partition("=")
            if name in result:
                self.fail(f"{name} is given twice")
            result[name] = value if eq else None
        return result


class File:
    def __init__(self, path):
        self.stem = path.stem
        self.prefix, _, self.stem_version = path.stem.rpartition("_")
        self.group = self.version = self.openapi = None
        self.order = 1000
        self.kinds, self.types = [], {}
        current = None
        for number, text in enumerate(path.read_text().splitlines(), 1):
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            line = Line(path, number, text)
            if line.indented:
                if current is None:
                    line.fail("indented line outside of a kind or type")
                current.add(line)
            else:
                current = self.add(line)
        if self.group is None:
            raise ApiError(f"{path.name}: no group line")

    def add(self, line):
        word = line.words[0]
        if word == "group":
            self.header(line)
            return None
        if self.group is None:
            line.fail("the group line comes first")
        if word == "kind":
            self.kinds.append(Kind(self, line))
            return self.kinds[-1]
        if word == "type":
            t = Type(self, line)
            if t.name in self.types:
                line.fail(f"type {t.name} is defined twice")
            self.types[t.name] = t
            return t
        return line.fail(f"unknown line '{word}'")

    def header(self, line):
        words = dict(zip(line.words[0::2], line.words[1::2]))
        if set(words) - {"group", "version", "openapi", "order"} or len(line.words) % 2:
            line.fail("expected: group NAME version V openapi PREFIX [order N]")
        self.group = "" if words["group"] == "core" else words["group"]
        self.version, self.openapi = words["version"], words["openapi"]
        self.order = int(words.get("order", self.order))
        if self.version != self.stem_version:
            line.fail("the file's name does not end in its version")


class Kind:
    def __init__(self, file, line):
        self.file, self.line, self.name = file, line, line.words[1]
        a = line.attrs(2)
        self.plural = a.pop("plural", None) or line.fail("plural= is missing")
        self.singular = a.pop("singular", self.name.lower())
        self.short = split_commas(a.pop("short", ""))
        self.categories = split_commas(a.pop("categories", ""))
        self.name_rule = NAME_RULES.get(a.pop("name", "subdomain")) or line.fail("unknown name rule")
        self.store = a.pop("store", None)
        self.deprecated = json.loads(a.pop("deprecated", '""'))
        if ("namespaced" in a) == ("cluster" in a):
            line.fail("say either namespaced or cluster")
        a.pop("cluster", None)
        default_verbs = "create" if "create-only" in a else ",".join(VERBS)
        self.verbs = check_verbs(line, a.pop("verbs", default_verbs))
        self.flags = [KIND_FLAGS.get(w) or line.fail(f"unknown word '{w}'") for w in a]
        if self.deprecated:
            self.flags.append("API_DEPRECATED")
        self.subs, self.columns, self.labels = [], [], []

    def add(self, line):
        if line.words[0] == "sub":
            self.subs.append(Sub(self, line))
        elif line.words[0] == "column":
            self.columns.append(Column(line))
        elif line.words[0] == "label":
            self.labels += line.words[1:]
        else:
            line.fail("expected sub, column or label")


class Sub:
    def __init__(self, kind, line):
        self.line, self.name = line, line.words[1]
        self.verbs = check_verbs(line, line.words[2])
        a = line.attrs(3)
        self.kind = a.pop("kind", kind.name)
        if a:
            line.fail(f"unknown attribute {next(iter(a))}")


class Column:
    def __init__(self, line):
        name = line.words[1]
        self.name = json.loads(name) if name.startswith('"') else name
        self.type = line.words[2]
        a = line.attrs(3)
        self.priority = 1 if "wide" in a else 0
        a.pop("wide", None)
        self.format, self.path, self.cell = a.pop("format", ""), a.pop("path", ""), a.pop("cell", "")
        self.doc = line.doc or ""
        if a or self.type not in ("string", "integer", "number", "boolean", "date"):
            line.fail("bad column")
        if bool(self.path) == bool(self.cell):
            line.fail("a column has either path= or cell=")


class Type:
    def __init__(self, file, line):
        self.file, self.line, self.name = file, line, line.words[1]
        self.doc = line.doc or ""
        self.alias = None
        self.fields = []
        rest = line.words[2:]
        if rest[:1] == ["="]:
            self.alias = rest[1]
            if self.alias not in SCALARS:
                line.fail(f"unknown scalar {self.alias}")
            rest = rest[2:]
        self.root, self.atomic, self.open = "root" in rest, "atomic" in rest, "open" in rest
        self.published = "unpublished" not in rest
        if set(rest) - {"root", "atomic", "open", "unpublished"}:
            line.fail("unknown word after the type's name")
        if self.root:
            for name, what in (("apiVersion", "Group and version of this object's schema."),
                               ("kind", "Kind of this object.")):
                self.fields.append(Field.made(self, name, "string", 0, what))

    def add(self, line):
        if self.alias:
            line.fail("a type with '=' has no fields")
        f = Field(self, line)
        if any(f.name == g.name for g in self.fields):
            line.fail(f"field {f.name} is defined twice")
        self.fields.append(f)

    @property
    def cname(self):
        return f"schema_{self.file.stem}_{self.name}"

    @property
    def openapi(self):
        return f"{self.file.openapi}.{self.name}" if self.published else ""


class Field:
    def __init__(self, owner, line):
        if len(line.words) < 3:
            line.fail("expected: NAME NUMBER TYPE ...")
        self.owner, self.line = owner, line
        self.name = line.words[0]
        self.pb = 0 if line.words[1] == "-" else int(line.words[1])
        self.type = line.words[2]
        self.doc = line.doc or ""
        a = line.attrs(3)
        self.flags = {w for w in a if w in FIELD_FLAGS}
        self.patch = [w for w in PATCHES if w in a]
        self.merge_key = a.get("merge") or ""
        self.default = a.get("default") or ""
        self.atomic = True if "atomic" in a else False if "granular" in a else None
        self.list_type, self.keys = parse_list(line, a.get("list"))
        self.rules = parse_rules(line, a)
        known = {*FIELD_FLAGS, *PATCHES, *RULE_NUMBERS, "default", "atomic", "granular", "list", "enum", "pattern",
                 "format"}
        for w in a:
            if w not in known:
                line.fail(f"unknown attribute '{w}'")
        if self.default:
            try:
                json.loads(self.default)
            except ValueError:
                line.fail("default= is not JSON")

    @classmethod
    def made(cls, owner, name, type_, pb, doc):
        """A field the generator adds by itself."""
        f = cls.__new__(cls)
        f.owner, f.line, f.name, f.type, f.pb, f.doc = owner, owner.line, name, type_, pb, doc
        f.flags, f.patch, f.merge_key, f.default = set(), [], "", ""
        f.atomic, f.list_type, f.keys, f.rules = None, "ATOMIC", (), None
        return f


def split_commas(text):
    return [w for w in text.split(",") if w]


def check_verbs(line, text):
    verbs = split_commas(text)
    for v in verbs:
        if v not in VERBS:
            line.fail(f"unknown verb {v}")
    return verbs


def parse_list(line, text):
    if text is None or text == "atomic":
        return "ATOMIC", ()
    if text == "set":
        return "SET", ()
    m = re.fullmatch(r"map\(([\w,]+)\)", text)
    return ("MAP", tuple(m[1].split(","))) if m else line.fail("list= is atomic, set or map(key,...)")


def parse_rules(line, a):
    """The validation attributes as the initialiser of a struct schema_rules, or None.  Hashable: equal rules share a table."""
    rules = []
    if "enum" in a:
        rules.append(("enums", tuple(a["enum"].split("|"))))
    for name, member in RULE_NUMBERS.items():
        if name in a:
            rules.append((member, float(a[name]) if member in ("min", "max") else int(a[name])))
    for name in ("pattern", "format"):
        if name in a:
            value = a[name]
            rules.append((name, json.loads(value) if value.startswith('"') else value))
    return tuple(rules) or None


# ---------------------------------------------------------------- check

class Model:
    def __init__(self, folder):
        paths = sorted(folder.glob("*.api"))
        self.files = sorted((File(p) for p in paths), key=lambda f: (f.order, f.stem))
        self.by_stem = {f.stem: f for f in self.files}
        for f in self.files:
            for k in f.kinds:
                if "list" in k.verbs:
                    self.add_list(f, k)

    def add_list(self, file, kind):
        """KindList: the same four fields for every kind, so the .api files do not spell them out."""
        t = Type.__new__(Type)
        t.file, t.line, t.name = file, kind.line, kind.name + "List"
        t.doc, t.alias, t.root, t.atomic, t.open, t.published = f"A list of {kind.plural}.", None, True, False, False, True
        items = Field.made(t, "items", f"[]{kind.name}", 2, "The objects.")
        items.flags = {"required", "always"}
        metadata = Field.made(t, "metadata", "meta.ListMeta", 1, "Version and paging of the list.")
        metadata.flags = {"always"}
        t.fields = [Field.made(t, "apiVersion", "string", 0, "Group and version of this object's schema."),
                    Field.made(t, "kind", "string", 0, "Kind of this object."), metadata, items]
        file.types[t.name] = t

    def find(self, file, name, line):
        """PodSpec in this file, core.PodSpec or autoscaling/v1.Scale elsewhere."""
        prefix, dot, bare = name.rpartition(".")
        if not dot:
            t = file.types.get(name)
        else:
            group, _, version = prefix.partition("/")
            files = [f for f in self.files if group in (f.prefix, f.group) and version in ("", f.version)]
            if len(files) > 1:
                line.fail(f"{prefix} has several versions: write {prefix}/VERSION.{bare}")
            t = files[0].types.get(bare) if files else None
        return t or line.fail(f"unknown type {name}")

    def check(self, strict_docs):
        for file in self.files:
            for t in file.types.values():
                self.check_type(t, strict_docs)
            for k in file.kinds:
                self.check_kind(k)

    def check_type(self, t, strict_docs):
        numbers = {}
        for text, line in [(t.doc, t.line)] + [(f.doc, f.line) for f in t.fields]:
            if len(text) > DOC_MAX:
                line.fail(f"the description has more than {DOC_MAX} characters")
            if strict_docs and not text:
                line.fail("no description")
        for f in t.fields:
            if f.pb and numbers.setdefault(f.pb, f) is not f:
                f.line.fail(f"protobuf number {f.pb} is used by {numbers[f.pb].name} as well")
            elem = self.base_type(f)
            if f.type.startswith("[]") is False and (f.list_type != "ATOMIC" or f.merge_key):
                f.line.fail("list= and merge= need a list")
            for key in f.keys + ((f.merge_key,) if f.merge_key else ()):
                if elem is None or key not in self.json_names(elem):
                    f.line.fail(f"{f.type} has no field {key}")

    def check_kind(self, k):
        if k.name not in k.file.types:
            k.line.fail(f"no type {k.name}")
        for s in k.subs:
            self.find(k.file, s.kind, s.line)
        if k.store and k.store.replace("/", "_") not in self.by_stem:
            k.line.fail(f"store={k.store} is not there")

    def base_type(self, f):
        name = re.sub(r"^(\[\]|map\[string\])+", "", f.type)
        return None if name in SCALARS else self.find(f.owner.file, name, f.line)

    def json_names(self, t):
        names = set()
        for f in t.fields:
            names |= self.json_names(self.base_type(f)) if "inline" in f.flags else {f.name}
        return names


# ---------------------------------------------------------------- emit

def c_str(text):
    out = []
    for ch in text.encode():
        if ch in b'"\\':
            out.append("\\" + chr(ch))
        elif 32 <= ch < 127:
            out.append(chr(ch))
        else:
            out.append("\\%03o" % ch)
    return '"' + "".join(out) + '"'


def init(text):
    return f"STR_INIT({c_str(text)})"


def flags_text(words):
    return " | ".join(words) or "0"


def name_hash(name):
    h = 2166136261
    for ch in name.encode():
        h = ((h ^ ch) * 16777619) & 0xFFFFFFFF
    return h


def hash_index(names):
    """Linear probing, at most half full, as schema_field_find walks it."""
    size = 8
    while size < 2 * len(names):
        size *= 2
    table = [0] * size
    for number, name in enumerate(names, 1):
        at = name_hash(name) & (size - 1)
        while table[at]:
            at = (at + 1) & (size - 1)
        table[at] = number
    return table


class Emitter:
    """One C file.  Anonymous types, rules and string lists are made once and shared."""
    HEAD = "/* {}: written by tools/gen_api.py from api/{}.api; do not edit. */\n/* SPDX-License-Identifier: Apache-2.0 */\n"

    def __init__(self, model, file):
        self.model, self.file = model, file
        self.shared = {}  # C name -> definition, in the order of first use
        self.body = []

    def text(self):
        for t in self.file.types.values():
            self.emit_type(t)
        for k in self.file.kinds:
            self.emit_kind(k)
        head = self.HEAD.format(self.file.stem + ".c", self.file.stem) + '#include "api/gen/gen.h"\n\n'
        return head + "\n".join(list(self.shared.values()) + self.body) + "\n"

    def share(self, name, definition):
        self.shared.setdefault(name, definition)
        return name

    def strings(self, prefix, words):
        """A static array of str; returns its name."""
        name = prefix + "_" + c_word("_".join(words))
        return self.share(name, f"static const str {name}[] = {{{', '.join(init(w) for w in words)}}};")

    def rules(self, rules):
        if not rules:
            return "NULL"
        parts, words = [], []
        for member, value in rules:
            words.append(member + "_" + ("_".join(value) if isinstance(value, tuple) else str(value)))
            if member == "enums":
                parts.append(f".enums = {self.strings('enum', value)}, .nenums = {len(value)}")
            elif isinstance(value, str):
                parts.append(f".{member} = {init(value)}")
            else:
                parts.append(f".has_{member} = true, .{member} = {value}")
        name = "rules_" + c_word("_".join(words))
        self.share(name, f"static const struct schema_rules {name} = {{{', '.join(parts)}}};")
        return "&" + name

    def type_ref(self, f, text, rules):
        """(C expression, C word) of a type; rules belong to the innermost value of a list or map, but for how many there may be: that is the outermost list's."""
        if text.startswith("[]"):
            counts = tuple(r for r in rules or () if r[0] in ("min_items", "max_items"))
            elem, word = self.type_ref(f, text[2:], tuple(r for r in rules or () if r not in counts))
            list_type, keys = (f.list_type, f.keys) if text == f.type else ("ATOMIC", ())
            name = f"list_{word}" + ("" if list_type == "ATOMIC" else "_" + "_".join((list_type.lower(),) + keys))
            extra = f", .list_type = SCHEMA_LIST_{list_type}" if list_type != "ATOMIC" else ""
            if keys:
                extra += f", .keys = {self.strings('keys', keys)}, .nkeys = {len(keys)}"
            if counts:
                extra += f", .rules = {self.rules(counts)}"
                name += "_" + self.rules(counts)[len("&rules_"):]
            self.share(name, f"static const struct schema_type {name} = {{.kind = SCHEMA_LIST, .elem = {elem}{extra}}};")
            return "&" + name, name
        if text.startswith("map[string]"):
            elem, word = self.type_ref(f, text[11:], rules)
            atomic = f.atomic and text == f.type
            name = f"map_{word}" + ("_atomic" if atomic else "")
            extra = ", .atomic = true" if atomic else ""
            self.share(name, f"static const struct schema_type {name} = {{.kind = SCHEMA_MAP, .elem = {elem}{extra}}};")
            return "&" + name, name
        if text in SCALARS:
            c = SCALARS[text]
            if rules and text != f.type:
                ref = self.rules(rules)
                name = f"{c}_{ref[1:]}"
                self.share(name, f"static const struct schema_type {name} = {{.kind = SCHEMA_{c.upper()}, .rules = {ref}}};")
                return "&" + name, name
            return f"&schema_{c}", c
        return self.named_ref(f, text)

    def named_ref(self, f, text):
        t = self.model.find(self.file, text, f.line)
        word = t.name if t.file is self.file else f"{t.file.stem}_{t.name}"
        if text == f.type and f.atomic is not None and f.atomic != t.atomic:
            if t.file is not self.file:
                f.line.fail("atomic and granular work on types of the same file")
            name = ("atomic_" if f.atomic else "granular_") + t.name
            self.shared.setdefault("fields_" + t.name, f"static const struct schema_field fields_{t.name}[{len(t.fields)}];")
            if len(t.fields) > SCAN_MAX:
                self.shared.setdefault("index_" + t.name, f"static const uint8_t index_{t.name}[{len(self.index(t))}];")
            self.share(name, f"static const struct schema_type {name} = {{{self.type_init(t, f.atomic)}}};")
            return "&" + name, name
        return "&" + t.cname, word

    def index(self, t):
        return hash_index([g.name for g in t.fields])

    def type_init(self, t, atomic):
        parts = [f".kind = SCHEMA_{SCALARS[t.alias].upper() if t.alias else 'OBJECT'}",
                 f".name = {init(t.name)}, .openapi = {init(t.openapi)}, .doc = {init(t.doc)}"]
        if atomic:
            parts.append(".atomic = true")
        if t.open:
            parts.append(".preserve_unknown = true")
        if t.fields:
            parts.append(f".fields = fields_{t.name}, .nfields = {len(t.fields)}")
        if len(t.fields) > SCAN_MAX:
            parts.append(f".index8 = index_{t.name}, .index_mask = {len(self.index(t)) - 1}")
        return ", ".join(parts)

    def emit_type(self, t):
        if len(t.fields) > 254:
            t.line.fail("more than 254 fields")
        if t.fields:
            rows = ",\n".join("    " + self.field_row(f) for f in t.fields)
            self.body.append(f"static const struct schema_field fields_{t.name}[{len(t.fields)}] = {{\n{rows}}};")
        if len(t.fields) > SCAN_MAX:
            table = self.index(t)
            self.body.append(f"static const uint8_t index_{t.name}[{len(table)}] = {{{', '.join(map(str, table))}}};")
        self.body.append(f"const struct schema_type {t.cname} = {{{self.type_init(t, t.atomic)}}};\n")

    def field_row(self, f):
        ref, _ = self.type_ref(f, f.type, f.rules)
        flags = [c for w, c in FIELD_FLAGS.items() if w in f.flags]
        is_object = f.type not in SCALARS and not f.type.startswith(("[]", "map["))
        if is_object and not f.flags & {"always", "ptr", "inline"}:
            flags.append("SCHEMA_POINTER")  # {} is not a zero value that may be dropped
        parts = [f".name = {init(f.name)}", f".type = {ref}"]
        if f.pb:
            parts.append(f".pb = {f.pb}")
        if flags:
            parts.append(f".flags = {flags_text(flags)}")
        if f.patch:
            parts.append(f".patch = {flags_text(PATCHES[w] for w in f.patch)}")
        for member, value in (("merge_key", f.merge_key), ("dflt", f.default), ("doc", f.doc)):
            if value:
                parts.append(f".{member} = {init(value)}")
        if f.rules and f.type in SCALARS:
            parts.append(f".rules = {self.rules(f.rules)}")
        return "{" + ", ".join(parts) + "}"

    def emit_kind(self, k):
        parts = [f".group = {init(self.file.group)}, .version = {init(self.file.version)}, .kind = {init(k.name)}",
                 f".list_kind = {init(k.name + 'List')}, .plural = {init(k.plural)}, .singular = {init(k.singular)}",
                 f".name_rule = API_NAME_{k.name_rule}, .flags = {flags_text(k.flags)}",
                 f".verbs = {self.verbs(k.verbs)}, .type = &{k.file.types[k.name].cname}"]
        for member, words in (("short_names", k.short), ("categories", k.categories), ("field_labels", k.labels)):
            if words:
                parts.append(f".{member} = {self.strings(member, words)}, .n{member} = {len(words)}")
        for member, rows in (("subs", [self.sub_row(k, s) for s in k.subs]),
                             ("columns", [self.column_row(c) for c in k.columns])):
            if rows:
                struct = {"subs": "api_subresource", "columns": "api_column"}[member]
                lines = ",\n".join("    " + r for r in rows)
                self.body.append(f"static const struct {struct} {member}_{k.name}[] = {{\n{lines}}};")
                parts.append(f".{member} = {member}_{k.name}, .n{member} = {len(rows)}")
        store = self.model.by_stem[k.store.replace("/", "_")] if k.store else self.file
        parts.append(f".storage_group = {init(store.group)}, .storage_version = {init(store.version)}")
        if k.deprecated:
            parts.append(f".deprecation_warning = {init(k.deprecated)}")
        lines = ",\n    ".join(parts)
        self.body.append(f"const struct api_resource {resource_name(k)} = {{\n    {lines}}};\n")

    def verbs(self, verbs):
        return "API_VERBS_ALL" if len(verbs) == len(VERBS) else flags_text(f"API_VERB_{v.upper()}" for v in verbs)

    def sub_row(self, k, s):
        t = self.model.find(self.file, s.kind, s.line)
        other = f", .group = {init(t.file.group)}, .version = {init(t.file.version)}" if t.file is not self.file else ""
        return (f"{{.name = {init(s.name)}, .kind = {init(t.name)}{other}, .verbs = {self.verbs(s.verbs)}, "
                f".type = &{t.cname}}}")

    def column_row(self, c):
        parts = [f".name = {init(c.name)}, .type = {init(c.type)}"]
        for member, value in (("format", c.format), ("doc", c.doc), ("json_path", c.path), ("cell", c.cell)):
            if value:
                parts.append(f".{member} = {init(value)}")
        if c.priority:
            parts.append(f".priority = {c.priority}")
        return "{" + ", ".join(parts) + "}"


def c_word(text):
    return re.sub(r"\W", "_", text)


def resource_name(k):
    return f"api_{k.file.stem}_{k.plural}"


def gen_header(model):
    lines = ["/* gen.h: every generated table; written by tools/gen_api.py, do not edit. */",
             "/* SPDX-License-Identifier: Apache-2.0 */", "#pragma once", "", '#include "api/resource.h"', ""]
    for f in model.files:
        lines += [f"extern const struct schema_type {t.cname};" for t in f.types.values()]
        lines += [f"extern const struct api_resource {resource_name(k)};" for k in f.kinds]
    return "\n".join(lines) + "\n"


def gen_builtin(model):
    resources = [f"    &{resource_name(k)}," for f in model.files for k in f.kinds]
    types = [f"    &{t.cname}," for f in model.files for t in f.types.values() if t.published]
    return "\n".join(
        ["/* builtin.c: the list of all tables; written by tools/gen_api.py, do not edit. */",
         "/* SPDX-License-Identifier: Apache-2.0 */", '#include "api/gen/gen.h"', "",
         "const struct api_resource *const api_builtin_resources[] = {"] + resources +
        ["};", "const size_t api_builtin_count = ARRAY_LEN(api_builtin_resources);", "",
         "const struct schema_type *const api_builtin_types[] = {"] + types +
        ["};", "const size_t api_builtin_type_count = ARRAY_LEN(api_builtin_types);"]) + "\n"


def outputs(model):
    files = {f.stem + ".c": Emitter(model, f).text() for f in model.files}
    files["gen.h"] = gen_header(model)
    files["builtin.c"] = gen_builtin(model)
    return files


def main():
    parser = argparse.ArgumentParser(description="Write src/api/gen from api/*.api.")
    parser.add_argument("--check", action="store_true", help="exit 1 when the committed output is stale")
    parser.add_argument("--strict-docs", action="store_true", help="a field without description is an error")
    args = parser.parse_args()
    try:
        model = Model(ROOT / "api")
        model.check(args.strict_docs)
        files = outputs(model)
    except ApiError as e:
        sys.exit(f"gen_api: {e}")
    folder = ROOT / "src/api/gen"
    folder.mkdir(parents=True, exist_ok=True)
    stale = []
    for path in folder.iterdir():
        if path.name not in files:
            stale.append(path.name)
            if not args.check:
                path.unlink()
    for name, text in files.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            stale.append(name)
            if not args.check:
                path.write_text(text)
    if args.check and stale:
        sys.exit("gen_api: stale, run `make gen`: " + ", ".join(sorted(stale)))
    print(f"gen_api: {len(files)} files, {len(stale)} {'stale' if args.check else 'written'}")


if __name__ == "__main__":
    main()
