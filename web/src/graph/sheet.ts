// The page's colours for the binary's picture of a graph (classes: src/show/draw/draw.hpp).

export const sheet = `
:host { display: block; }
svg { display: block; margin: 0 auto; width: 100%; height: auto; max-height: 560px; }
text { fill: var(--ink); }
.paper { fill: none; }
.line, .half-arrow, .causal-stroke, .circle { stroke: var(--ink); }
.circle, .box, .state-box { fill: var(--ground); }
.state-box { stroke: var(--ink); }
.panel { fill: var(--raised); stroke: var(--line); }
.tie { stroke: var(--line); }
.arrow { stroke: var(--ink); }
.head { fill: var(--ink); }
.present > .state-box { fill: var(--accent); }
.present > .state-name, .present > .law { fill: var(--on-accent); }
.dependent .box { fill: #e69f00; stroke: var(--ink); }
.dependent text { fill: #000000; }
.loop .line, .loop .half-arrow, .loop .causal-stroke { stroke: var(--curve-3); }
.conflict .line, .conflict .half-arrow, .conflict .causal-stroke, .conflict .circle, .conflict .box { stroke: var(--bad); }
.mark { fill: var(--bad); }
.bond-value { font-variant-numeric: tabular-nums; paint-order: stroke; stroke: var(--ground); stroke-width: 3px; stroke-linejoin: round; }
.struck .line { stroke: var(--bad); stroke-width: 3.4; }
.struck .half-arrow { stroke: var(--bad); stroke-width: 2.4; }
.bond-value.struck { font-weight: 700; }
`;
