"""Files: what users name, what runs keep, and how both are kept from doing harm."""
