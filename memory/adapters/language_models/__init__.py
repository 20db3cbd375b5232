"""Language models behind the `LanguageModel` port: one file a provider."""
