; The classes of `compiler/src/ide/tokens.rs`. Source: tooling specification, 7.2.

(comment) @comment
(string) @string
(number) @number
(range) @number
(boolean) @constant.builtin.boolean

["option" "import" "as" "export" "scope" "type" "struct" "enum" "map" "set" "event" "function" "entity" "table" "state"] @keyword

(attribute_name) @attribute
(option name: (identifier) @variable.builtin)
(option value: (identifier) @constant)

(import name: (identifier) @module)
(scope name: (identifier) @module)
(member name: (identifier) @function)
(alias name: (identifier) @type.definition)
(struct_declaration name: (identifier) @type.definition)
(enum_declaration name: (identifier) @type.definition)
(map_declaration name: (identifier) @type.definition)
(set_declaration name: (identifier) @type.definition)
(parameters name: (identifier) @type)

(primitive_name) @type.builtin
(class) @type.class
(modifier) @keyword.modifier
(reference name: (_) @type)

(field name: (identifier) @property)
(variant name: (identifier) @property)
(element name: (identifier) @property)
(label) @property

(entry key: (identifier) @property)
((entry key: (identifier) @keyword.field)
  (#any-of? @keyword.field
    "From" "Type" "Channel" "Call" "Data" "Return" "Yield" "Rate" "Burst" "Concurrency" "Stream" "Stamp" "Priority" "Poll"
    "Fast" "Keepalive" "Epsilon" "Per" "Relevance" "Owner" "Transform" "Velocity" "Interpolate" "MaxDelay" "Sync" "Input"
    "Key" "Codec" "Fields" "Parent" "Named" "Tags" "Attributes"
    "from" "type" "channel" "call" "data" "return" "yield" "rate" "burst" "concurrency" "stream" "stamp" "priority" "poll"
    "fast" "keepalive" "epsilon" "per" "relevance" "owner" "transform" "velocity" "interpolate" "maxdelay" "sync" "input"
    "key" "codec" "fields" "parent" "named" "tags" "attributes"))
((entry key: (identifier) @_key value: (type (reference name: (identifier) @constant)))
  (#any-of? @_key
    "From" "Type" "Channel" "Call" "Yield" "Priority" "Per" "Relevance" "Owner" "Transform" "Velocity" "Interpolate" "Codec"
    "from" "type" "channel" "call" "yield" "priority" "per" "relevance" "owner" "transform" "velocity" "interpolate" "codec"))

(sync mode: (identifier) @constant)
(synced_class class: (identifier) @type.class)

["=" ":" "?" ".."] @operator
["{" "}" "(" ")" "[" "]" "<" ">"] @punctuation.bracket
(array) @punctuation.bracket
"," @punctuation.delimiter
