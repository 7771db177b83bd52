[(scope) (struct_body) (labels) (variants) (map_body) (block) (pack) (comment)] @fold
