"""A small web shop in five languages: the corpus of the ranking tests."""

from __future__ import annotations

from functools import lru_cache

from packhound.core.settings_reader import settings_from
from packhound.core.types import Document, NodeRef
from packhound.encoder.embedder import Embedder
from packhound.index.snapshot import Snapshot
from packhound.index.writer import Index
from packhound.parsing.analyse import analyse
from packhound.parsing.parse import parse
from packhound.search.environment import SearchEnvironment

FILES = {
    "shop/session.py": '''
class Session:
    """State of one visitor between requests."""

    def load(self, cookie):
        """Read the session that a signed cookie names."""
        return self.store.get(unsign(cookie))

    def save(self):
        """Write the session back to its store."""
        self.store.put(self.key, self.values)
''',
    "shop/routing.py": '''
class Router:
    """Finds the handler of a request by its path."""

    def match(self, path):
        """Compare the segments of a path with every route."""
        for route in self.routes:
            if route.pattern.fullmatch(path):
                return route

    def add_route(self, pattern, handler):
        self.routes.append(Route(pattern, handler))


def redirect(location, status=302):
    """Answer that sends the browser elsewhere."""
    return Response(status, {"Location": location})
''',
    "shop/utils.py": '''
def slugify(title):
    return "-".join(title.lower().split())


def parse_price(text):
    """Cents from a price as people write it."""
    return int(round(float(text.replace(",", ".")) * 100))
''',
    "shop/validation.py": '''
class FormValidator:
    """Collects the errors of a form."""

    def validate(self, form):
        for field in form.fields:
            if field.required and not field.value:
                self.errors.append(f"{field.name} is missing")
''',
    "tests/test_session.py": """
def test_session_load_and_save():
    session = Session(store)
    session.save()
    assert session.load(cookie) == session
""",
    "tests/test_routing.py": '''
class Router:
    """A stand-in."""


def test_match_finds_the_route():
    assert Router().match("/basket")
''',
    "payment/gateway.go": """
package payment

// Charge takes an amount from a card and returns the receipt.
func (g *Gateway) Charge(card Card, amount int) (*Receipt, error) {
	return g.post("/charges", card, amount)
}

// RetryPolicy says how often a failed charge is tried again.
type RetryPolicy struct {
	Attempts int
	Backoff  time.Duration
}
""",
    "payment/gateway_test.go": """
package payment

func TestChargeReturnsReceipt(t *testing.T) {
	gateway := NewGateway()
	gateway.Charge(card, 100)
}
""",
    "web/src/basket.ts": """
/** Goods that the visitor is about to buy. */
export class Basket {
  /** Add an item or raise its count. */
  addItem(item: Item, count = 1): void {
    this.lines.set(item.id, (this.lines.get(item.id) ?? 0) + count);
  }
  totalPrice(): number {
    return [...this.lines].reduce((sum, [id, n]) => sum + price(id) * n, 0);
  }
}
""",
    "web/src/index.ts": """
export { Basket } from './basket';
export { createServer } from './server';
""",
    "web/src/server.ts": """
export function createServer(options: Options): Server {
  const server = http.createServer(handle);
  server.listen(options.port);
  return server;
}
""",
    "core/stock_level.rs": """
/// How many of an article are left.
pub struct StockLevel {
    count: u32,
}

impl StockLevel {
    /// Take some out, unless there are too few.
    pub fn reserve(&mut self, wanted: u32) -> Result<(), OutOfStock> {
        self.count = self.count.checked_sub(wanted).ok_or(OutOfStock)?;
        Ok(())
    }
}
""",
    "README.md": """
# Shop

A web shop with sessions, a router, a basket and a payment gateway.

## Payment

The payment gateway charges cards and retries failed charges.
""",
}


@lru_cache(maxsize=1)
def embedder() -> Embedder:
    return Embedder.open()


@lru_cache(maxsize=3)
def snapshot(*, vectors: bool = True, backwards: bool = False) -> Snapshot:
    index = Index(embedder() if vectors else None)
    documents = [Document(path, text.encode()) for path, text in FILES.items()]
    documents = documents[::-1] if backwards else documents
    index.replace([analyse(d, parse(d)) for d in documents], {})
    return index.publish()


def environment(fuser: str = "linear") -> SearchEnvironment:
    """An environment with a cache of its own."""
    settings = settings_from({"search.fuser": fuser})
    return SearchEnvironment("shop", embedder(), settings=settings, text_of=_text_of)


def _text_of(node: NodeRef) -> str:
    source = FILES[node.path].encode()[node.span.start : node.span.end]
    return f"{node.path}\n{source.decode()}"
