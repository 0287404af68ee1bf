"""Random walks here, on cores or on Spark, with one report whatever their place."""
