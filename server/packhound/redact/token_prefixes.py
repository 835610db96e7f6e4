"""Published forms of credentials: prefixes of tokens, and names of their services.

A row of `PREFIXED` is the kind of secret, the text that it begins with, how many characters follow
at least, and which characters those are. They are facts that the services document, so that leaked
keys can be found: in their own pages on tokens ("GitLab token overview", Slack "Token types", AWS
"Unique identifiers", Stripe "API keys", npm "About access tokens", Azure "Identifiable secrets",
Cloudflare "API tokens", New Relic "API keys", Docker "Access tokens", ...), and all together in
GitHub's "Supported secret scanning patterns".
"""

from __future__ import annotations

_HEX = "0-9a-fA-F"
_ALNUM = "0-9A-Za-z"
_WORD = r"0-9A-Za-z_\-"
_URL = r"0-9A-Za-z_=.\-"
_BASE64 = r"0-9A-Za-z+/=_\-"
_UPPER = "0-9A-Z"

Prefixed = tuple[str, str, int, str]

PREFIXED: tuple[Prefixed, ...] = (
    *(("aws-access-key", prefix, 16, "A-Z2-7") for prefix in ("AKIA", "ASIA", "ABIA", "ACCA")),
    *(("aws-access-key", f"A3T{letter}", 16, "A-Z2-7") for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    *(("aws-access-key", f"A3T{digit}", 16, "A-Z2-7") for digit in range(10)),
    *(("aws-access-key", prefix, 16, _UPPER) for prefix in ("AKIA", "ASIA")),
    ("amazon-mws-token", "amzn.mws.", 36, "0-9a-f-"),
    ("aws-appsync-key", "da2-", 26, "0-9a-z"),
    ("aws-bedrock-key", "ABSK", 100, _BASE64),
    ("aws-bedrock-key", "bedrock-api-key-", 16, _BASE64),
    ("1password-key", "A3-", 30, "0-9A-Z-"),
    ("1password-token", "ops_eyJ", 200, _BASE64),
    ("adobe-secret", "p8e-", 32, _ALNUM),
    ("aiven-token", "AVNS_", 19, _WORD),
    ("akamai-token", "akab-", 30, _WORD),
    ("age-key", "AGE-SECRET-KEY-1", 58, _UPPER),
    ("airtable-token", "pat", 79, "0-9A-Za-z."),
    ("alibaba-access-key", "LTAI", 12, _ALNUM),
    *(
        ("anthropic-key", f"sk-ant-{kind}", 60, _WORD)
        for kind in ("api03-", "admin01-", "oat01-", "sid01-")
    ),
    ("artifactory-key", "AKCp", 60, _ALNUM),
    ("artifactory-token", "cmVmd", 59, _ALNUM),
    *(("atlassian-token", prefix, 150, _URL) for prefix in ("ATATT3", "ATCTT3")),
    ("bitbucket-password", "ATBB", 32, _ALNUM),
    ("trello-token", "ATTA", 64, _HEX),
    *(("authress-key", f"{kind}_", 40, _BASE64 + ".") for kind in ("scauth", "authress")),
    ("clickhouse-key", "4b1d", 38, _ALNUM),
    *(("clojars-token", prefix, 60, _ALNUM) for prefix in ("CLOJARS_", "clojars_")),
    *(("buildkite-token", f"bk{kind}_", 32, _HEX) for kind in ("ua", "pt", "ct", "aj")),
    *(("circleci-token", prefix, 40, _WORD) for prefix in ("CCIPAT_", "CCIPRJ_")),
    *(("cloudflare-token", prefix, 40, _WORD) for prefix in ("cfut_", "cfat_", "cfk_")),
    ("cockroachdb-key", "CCDB1_", 40, _WORD),
    ("crates-token", "cio", 32, _ALNUM),
    ("cloudflare-origin-key", "v1.0-", 150, "0-9a-f-"),
    ("contentful-token", "CFPAT-", 40, _WORD),
    ("databricks-token", "dapi", 32, "0-9a-f-"),
    ("defined-networking-token", "dnkey-", 70, _URL),
    *(("digitalocean-token", f"do{kind}_v1_", 64, _HEX) for kind in "opr"),
    *(("docker-token", f"dckr_{kind}_", 20, _WORD) for kind in ("pat", "oat")),
    *(("docker-swarm-token", prefix, 40, _WORD) for prefix in ("SWMTKN-1-", "SWMKEY-1-")),
    *(
        ("doppler-token", f"dp.{kind}.", 40, _ALNUM)
        for kind in ("pt", "st", "ct", "sa", "scim", "audit")
    ),
    ("dropbox-token", "sl.", 100, _URL),
    *(("duffel-token", f"duffel_{kind}_", 43, _URL) for kind in ("test", "live")),
    ("dynatrace-token", "dt0c01.", 80, "0-9A-Za-z."),
    ("elevenlabs-key", "sk_", 48, _HEX),
    *(("easypost-token", prefix, 54, _ALNUM) for prefix in ("EZAK", "EZTK")),
    *(("facebook-token", f"EAA{kind}", 90, _ALNUM) for kind in "MCB"),
    *(("flutterwave-key", f"FLW{kind}_TEST-", 12, "0-9a-hA-HX-") for kind in ("SECK", "PUBK")),
    *(("flutterwave-key", f"FLW{kind}-", 12, "0-9a-hA-HX-") for kind in ("SECK", "PUBK")),
    *(("figma-token", prefix, 40, _WORD) for prefix in ("figd_", "figo_", "figdr_", "figor_")),
    ("firecrawl-key", "fc-", 32, _HEX),
    ("flyio-token", "fo1_", 43, _WORD),
    *(("flyio-token", prefix, 90, _BASE64) for prefix in ("fm1a_", "fm1r_", "fm2_")),
    ("frameio-token", "fio-u-", 60, _URL),
    ("google-api-key", "AIza", 35, _WORD),
    ("google-oauth-secret", "GOCSPX-", 24, _WORD),
    ("google-oauth-token", "ya29.", 30, _WORD + "."),
    ("google-refresh-token", "1//0", 40, _WORD),
    ("groq-key", "gsk_", 40, _ALNUM),
    *(("github-token", f"gh{kind}_", 36, _ALNUM) for kind in "pousr"),
    ("github-token", "ghs_", 60, _ALNUM + "_.-"),
    ("github-token", "github_pat_", 60, _ALNUM + "_"),
    *(
        ("gitlab-token", f"gl{kind}-", 20, _WORD + ".")
        for kind in (
            *("pat", "dt", "ft", "rt", "soat", "cbt", "ptt", "ffct", "imt", "agent", "oas", "wt"),
            *("rtr", "rtd", "goas"),
        )
    ),
    ("gitlab-token", "GR1348941", 20, _WORD),
    ("gitlab-session", "_gitlab_session=", 32, _ALNUM),
    *(("grafana-token", prefix, 32, _BASE64) for prefix in ("glc_", "glsa_", "eyJrIjoi")),
    *(("harness-token", f"{kind}.", 66, _WORD + ".") for kind in ("pat", "sat")),
    ("heroku-key", "HRKU-", 36, _WORD),
    *(("honeycomb-key", f"hc{kind}ik_", 50, _ALNUM) for kind in "abx"),
    *(
        ("hubspot-token", f"pat-{region}-", 32, "0-9a-f-")
        for region in ("na1", "na2", "eu1", "ap1")
    ),
    *(("huggingface-token", prefix, 30, _ALNUM) for prefix in ("hf_", "api_org_")),
    ("instagram-token", "IGQ", 100, _WORD),
    ("jina-key", "jina_", 50, _WORD),
    *(("langsmith-key", f"lsv2_{kind}_", 32, _WORD) for kind in ("pt", "sk")),
    *(("lob-key", f"{mode}_", 35, "0-9a-f") for mode in ("live", "test")),
    *(("lob-key", f"{mode}_pub_", 31, "0-9a-f") for mode in ("live", "test")),
    ("llamacloud-key", "llx-", 40, _WORD),
    ("infracost-token", "ico-", 32, _ALNUM),
    *(("intra42-secret", f"s-s4t2{kind}-", 60, _HEX) for kind in ("ud", "af")),
    *(("launchdarkly-key", f"{kind}-", 36, "0-9a-f-") for kind in ("sdk", "api", "mob")),
    *(("linear-key", f"lin_{kind}_", 40, _ALNUM) for kind in ("api", "oauth")),
    *(("mailgun-key", prefix, 32, _HEX) for prefix in ("key-", "pubkey-")),
    *(("mapbox-token", f"{kind}.eyJ", 60, _WORD + ".") for kind in ("pk", "sk")),
    *(
        ("new-relic-key", prefix, 19, _WORD)
        for prefix in ("NRJS-", "NRII-", "NRAK-", "NRBR-", "NRRA-", "NRSP-", "NRIQ-", "NRAA-")
    ),
    ("neon-key", "napi_", 60, _ALNUM),
    ("netlify-token", "nfp_", 36, _ALNUM),
    ("nvidia-key", "nvapi-", 60, _WORD),
    ("notion-token", "ntn_", 40, _ALNUM),
    ("notion-token", "secret_", 43, _ALNUM),
    ("npm-token", "npm_", 36, _ALNUM),
    ("nuget-key", "oy2", 43, "0-9a-z"),
    ("octopus-key", "API-", 26, _UPPER),
    ("openai-key", "sk-proj-", 40, _WORD),
    *(("openai-key", prefix, 40, _WORD) for prefix in ("sk-svcacct-", "sk-admin-")),
    ("openai-key", "sk-", 32, _ALNUM),
    ("openrouter-key", "sk-or-v1-", 60, _HEX),
    ("openshift-token", "sha256~", 43, _WORD),
    ("pinecone-key", "pcsk_", 40, _WORD),
    *(("posthog-key", f"ph{kind}_", 40, _ALNUM) for kind in "csrax"),
    ("perplexity-key", "pplx-", 40, _ALNUM),
    *(
        ("plaid-token", f"access-{k}-", 32, "0-9a-f-")
        for k in ("sandbox", "development", "production")
    ),
    *(("planetscale-secret", f"pscale_{kind}_", 32, _URL) for kind in ("tkn", "oauth", "pw")),
    ("postman-key", "PMAK-", 50, "0-9a-fA-F-"),
    ("postman-key", "PMAT-", 26, _UPPER),
    ("prefect-token", "pnu_", 36, _ALNUM),
    ("pulumi-token", "pul-", 40, _HEX),
    ("pypi-token", "pypi-AgE", 50, _WORD),
    ("render-key", "rnd_", 32, _ALNUM),
    ("replicate-token", "r8_", 37, _ALNUM),
    ("salesforce-key", "3MVG9", 60, _WORD + "."),
    ("readme-token", "rdme_", 60, _ALNUM),
    ("rubygems-token", "rubygems_", 48, _HEX),
    ("scalingo-token", "tk-us-", 40, _WORD),
    ("sendgrid-token", "SG.", 60, _URL),
    *(("brevo-token", prefix, 64, "0-9A-Za-z-") for prefix in ("xkeysib-", "xsmtpsib-")),
    *(("sonarqube-token", f"sq{kind}_", 40, _HEX) for kind in "upa"),
    *(("sentry-token", f"sntry{kind}_", 60, _HEX) for kind in "uai"),
    ("sentry-token", "sntrys_", 60, _BASE64),
    *(("settlemint-token", f"sm_{kind}_", 16, _ALNUM) for kind in ("aat", "pat", "sat")),
    *(("shippo-token", f"shippo_{kind}_", 40, _HEX) for kind in ("live", "test")),
    *(("shopify-token", f"shp{kind}_", 32, _HEX) for kind in ("at", "ca", "pa", "ss")),
    ("slack-token", "xapp-", 8, _WORD),
    *(
        ("slack-token", f"xox{kind}", 8, "0-9A-Za-z.-")
        for kind in ("a-", "b-", "c-", "d-", "e-", "e.", "o-")
    ),
    *(("slack-token", f"xox{kind}", 8, "0-9A-Za-z.-") for kind in ("p-", "r-", "s-")),
    ("sourcegraph-token", "sgp_", 40, _HEX + "_local"),
    ("square-token", "EAAA", 22, _WORD),
    *(("square-token", f"sq0{kind}-", 22, _WORD) for kind in ("atp", "csp")),
    *(
        ("stripe-key", f"{kind}_{mode}_", 10, _ALNUM)
        for kind in ("sk", "rk")
        for mode in ("test", "live", "prod")
    ),
    ("stripe-webhook-secret", "whsec_", 32, _ALNUM),
    ("supabase-key", "sbp_", 40, _HEX),
    ("supabase-key", "sbp_v0_", 40, _HEX),
    ("supabase-key", "sb_secret_", 30, _WORD),
    ("tavily-key", "tvly-", 32, _WORD),
    ("tencent-key", "AKID", 32, _ALNUM),
    ("together-key", "tgp_v1_", 40, _WORD),
    ("tailscale-key", "tskey-", 20, _WORD),
    ("twilio-key", "SK", 32, _HEX),
    ("twilio-key", "AC", 32, "0-9a-f"),
    ("twitter-token", "AAAAAAAAAAAAAAAAAAAAAA", 60, "0-9A-Za-z%"),
    ("typeform-token", "tfp_", 50, _URL),
    *(("vault-token", prefix, 24, _WORD) for prefix in ("hvb.", "hvr.", "hvs.")),
    *(("vercel-token", f"vc{kind}_", 40, _ALNUM) for kind in "pkiar"),
    ("wakatime-key", "waka_", 36, "0-9a-f-"),
    ("wundergraph-key", "cosmo_", 32, _HEX),
    ("xai-key", "xai-", 60, _ALNUM),
    ("yandex-token", "t1.", 90, _WORD + ".="),
    ("yandex-key", "AQVN", 35, _WORD),
    ("yandex-key", "YCA", 37, _WORD),
)

SERVICES = (
    *("adafruit", "adobe", "airtable", "algolia", "alibaba", "asana", "atlassian", "aws", "azure"),
    *("beamer", "bintray", "bitbucket", "bitly", "bittrex", "circleci", "cloudflare", "cloudinary"),
    *(
        "codecov",
        "cohere",
        "co_api_key",
        "coinbase",
        "confluence",
        "confluent",
        "contentful",
        "databricks",
    ),
    *("datadog", "discord", "droneci", "dropbox", "etsy", "facebook", "fastly", "finicity"),
    *("finnhub", "firebase", "flickr", "freshbooks", "gitter", "gocardless", "heroku", "hubspot"),
    *("intercom", "jfrog", "artifactory", "jira", "kraken", "kucoin", "launchdarkly", "linear"),
    *("linkedin", "linked-in", "linked_in", "lob", "looker", "mailchimp", "mailgun", "mapbox"),
    *("mattermost", "meraki", "messagebird", "message-bird", "message_bird", "netlify"),
    *("new-relic", "newrelic", "new_relic", "newyorktimes", "new-york-times", "nytimes", "okta"),
    *("openai", "pagerduty", "paypal", "plaid", "privateai", "private_ai", "private-ai"),
    *("rapidapi", "rollbar", "sendbird", "sendgrid", "sentry", "shopify", "slack", "snyk", "sonar"),
    *("squarespace", "stripe", "sumo", "telegr", "travis", "trello", "twilio", "twitch"),
    *("twitter", "vercel", "xray", "yandex", "zendesk", "contribsys"),
)
"""A random-looking value assigned to a name with one of these is that service's secret."""


def service_kind(name: str) -> str:
    """Return the kind of a key of a service."""
    return f"{name.replace('_', '-')}-secret"
