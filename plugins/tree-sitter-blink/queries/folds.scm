[(scope) (struct_body) (labels) (variants) (map_body) (block) (synced_classes) (pack) (comment)] @fold
