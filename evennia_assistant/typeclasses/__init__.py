"""The typeclasses: `script.AssistantScript`, `character.AssistantCharacter` and its mixin."""
