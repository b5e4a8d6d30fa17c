"""The sha256 of every data file that ships; written by tools/update_checksums.py."""

CHECKSUMS = {
    "data/everyday/test.toml": "51f68c718fa3fb13c62910bcedbc3b426ec83bd401f3bf554df79ace1019a68c",
    "data/everyday/train.toml": "6fe9d7ffe85957d4fc82c73beb16e2935e17a5e3015db1e32652baeed01bb99d",
    "data/extractor/webnlg.safetensors": "f61433d2754409b469494005fbb37fe78162348cd26bd354d4ccd8b5f61c5870",
    "data/fact_classifier/e2e.json": "97f4542d195fbcc2201618b89d301ed50ab6109a5ac4b4688b81f31951eaf62f",
    "data/ledger/structured.json": "78000e6a008ad29a46a07af6b644920fc95da522581a6293522816f16671afdc",
    "data/ledger/weights.json": "c354ae901072df527eafb110d6e118f8e7df907326d8728fff0255acbb205de7",
    "data/models/embed/manifest.json": "ab9dc6ed328fc75e1dfec7e99a13b5f757997b994077347fdc4bd2411dbd218b",
    "data/models/marks/manifest.json": "128b3c1e5ee1fde0465df779d2e17a2ba82425841c9b4cc8ffe9f2d67aab62e0",
    "data/models/nli/manifest.json": "d096d69e0d6b345ff0c6f8712ec58c13e9e981939dcf17a809d25b96f9038674",
    "data/models/qa/manifest.json": "9a6de18f868f849d56d072764e6f76bd2e4a2297422d8ea0c968eb010a68c76f",
    "data/models/trained/manifest.json": "439c510616b5e7b003314762e37816955b54cbec90206fe77373c33f63916684",
    "data/patterns/e2e.toml": "3c8106aef5b877b29c1be39cab09abdb35aaa4c728da1c5c0309e7dc666f78dc",
    "data/patterns/rotowire.toml": "077f75045cfe3feb275f6fb447702fc41c91b0d68e141374868aed47236feacd",
    "data/questions/dbpedia.json": "38e76cb5de01277a0283446c7efe82c874daff2c062ab5bd602cd748f46db08d",
    "data/schema/result.json": "288dbba9fbd126070e930a2446e52dae8fa5bf2edbf13c7b25b44c76665636f2",
    "data/templates/e2e.json": "406c40d5c481e39dd60d9083649b58f5dc67af588b6a2350e9600c0b214e2bd4",
    "data/templates/webnlg.json": "795f7ed0ff7f4fb1d0124a0d53e3b9e351fdb33556b34eb2e5f921f2e18a5504",
}
