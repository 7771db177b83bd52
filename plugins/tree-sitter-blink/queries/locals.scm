[(document) (scope)] @local.scope
(struct_declaration) @local.scope
(parameters name: (identifier) @local.definition.parameter)
(alias name: (identifier) @local.definition.type)
(enum_declaration name: (identifier) @local.definition.type)
(map_declaration name: (identifier) @local.definition.type)
(set_declaration name: (identifier) @local.definition.type)
(reference name: (identifier) @local.reference)
