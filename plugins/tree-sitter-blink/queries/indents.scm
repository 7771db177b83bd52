[(scope) (struct_body) (labels) (variants) (map_body) (block) (pack)] @indent.begin
["}" ")"] @indent.branch @indent.end
