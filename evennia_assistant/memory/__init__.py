"""
The stores: the only code that touches the memory Attributes of an NPC, and its index.

`AttributeStore` holds one Attribute as plain data and writes it whole, at most once a turn;
`journal`, `entity_profiles` and `working_memory` say what stands in theirs; `index` and `recall`
are the one way anything is read back out.

"""
