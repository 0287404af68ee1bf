"""Names that the language defines."""

from __future__ import annotations

from collections.abc import Mapping

BUILTIN_FUNCTIONS = frozenset(
    "abs all any bool bytes chr dict dir enumerate fail float frozenset getattr hasattr hash int len list max min ord"
    " print range repr reversed set sorted str sum tuple type zip struct record enum genericset genericmap bag"
    " symmetric_values".split()
)
RESERVED_FUNCTIONS = frozenset({"deepcopy", "resolve_role", "Channel"})
BUILTIN_MODULES: Mapping[str, frozenset[str]] = {
    "math": frozenset(
        "ceil copysign mod pow remainder round exp sqrt acos asin atan atan2 cos hypot sin tan degrees radians acosh"
        " asinh atanh cosh sinh tanh log gamma floor fabs e pi".split()
    ),
    "itertools": frozenset("combinations permutations combinations_with_replacement product chain".split()),
    "symmetry": frozenset("nominal ordinal interval rotational".split()),
}
ASSERTION_NAMES = frozenset({"next_states", "__returns__"})

# Methods of the standard types (language page, sections 5.3, 5.4, 8.4 and 11.2): a call of one of these names is not
# taken for the call of a role's func unless the receiver is known.
METHODS = frozenset(
    "capitalize count elems endswith find format index isalnum isalpha isdigit islower isspace istitle isupper join"
    " lower lstrip partition removeprefix removesuffix replace rfind rindex rpartition rsplit rstrip split splitlines"
    " startswith strip title upper append clear extend insert pop remove reverse sort get items keys popitem"
    " setdefault update values add difference discard intersection issubset issuperset symmetric_difference union"
    " add_all stub fresh choices choose min max segments".split()
)
