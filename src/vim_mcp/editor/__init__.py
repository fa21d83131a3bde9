"""One connected editor: what it says of itself, how it is asked, and how it is named and chosen."""
