"""From files in the field's formats to examples, with every record that is left out counted by reason."""
