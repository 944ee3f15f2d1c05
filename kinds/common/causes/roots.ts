/**
 * Which complaints nothing explains. Complaints may explain each other: each is visited once, so that
 * the time grows with the complaints and their explanations, however they refer to each other. Pure.
 */
import type { Complaint, Graph } from './graph.ts';

export interface Root {
  complaint: Complaint;
  /** The complaints that it explains, the first that was asked for before its neighbour. */
  path: readonly Complaint[];
}

interface Node {
  complaint: Complaint;
  /** What explains it. */
  below: Node[];
  isRoot: boolean;
  leadsToFault: boolean;
}

export const keyOf = ({ object, type }: Complaint): string => `${object.kind}/${object.metadata.name}/${type}`;

const isFault = ({ complaint }: Node): boolean => complaint.level !== 'wait';

/** Makes the nodes of complaints, and of all that explains them, one for each complaint. */
const nodesFrom = (graph: Graph): ((complaint: Complaint) => Node) => {
  const nodes = new Map<string, Node>();
  const unexplained: Node[] = [];
  const nodeOf = (complaint: Complaint): Node => {
    const key = keyOf(complaint);
    const before = nodes.get(key);
    if (before) return before;
    const node: Node = { complaint, below: [], isRoot: false, leadsToFault: false };
    nodes.set(key, node);
    unexplained.push(node);
    return node;
  };
  return (complaint) => {
    const first = nodeOf(complaint);
    for (let node = unexplained.pop(); node; node = unexplained.pop()) {
      const { object, rule } = node.complaint;
      node.below = [...new Set((rule?.by?.(object, graph) ?? []).map(nodeOf))].filter((one) => one !== node);
    }
    return first;
  };
};

interface Visitor {
  enter?: (node: Node) => void;
  /** After everything below it. */
  leave: (node: Node) => void;
}

/** Visits depth first each node that was not visited before. Not recursive: chains may be long. */
const walk = (starts: readonly Node[], visited: Set<Node>, { enter, leave }: Visitor): void => {
  const open: { node: Node; rest: Iterator<Node> }[] = [];
  const visit = (node: Node): void => {
    if (visited.has(node)) return;
    visited.add(node);
    enter?.(node);
    open.push({ node, rest: node.below[Symbol.iterator]() });
  };
  for (const start of starts) {
    visit(start);
    for (let last = open.at(-1); last; last = open.at(-1)) {
      const { value, done } = last.rest.next();
      if (!done) visit(value);
      else {
        open.pop();
        leave(last.node);
      }
    }
  }
};

/** Tarjan's strongly connected components: those below come first, and in each the node reached first. */
const cyclesFrom = (starts: readonly Node[]): Node[][] => {
  const cycles: Node[][] = [];
  const places = new Map<Node, number>();
  const lowest = new Map<Node, number>();
  const undecided: Node[] = [];
  walk(starts, new Set(), {
    enter: (node) => {
      places.set(node, undecided.length);
      lowest.set(node, undecided.push(node) - 1);
    },
    leave: (node) => {
      const place = places.get(node) ?? 0;
      const low = node.below.reduce((least, one) => Math.min(least, lowest.get(one) ?? least), place);
      lowest.set(node, low);
      if (low < place) return;
      const cycle = undecided.splice(place);
      for (const one of cycle) lowest.delete(one);
      cycles.push(cycle);
    },
  });
  return cycles;
};

/** Decides on a node, or on nodes that explain each other. What is below them is decided. */
const decide = (cycle: readonly Node[]): void => {
  const members = new Set(cycle);
  const exits = cycle.flatMap(({ below }) => below.filter((one) => !members.has(one)));
  const staying = cycle.filter(({ complaint }) => complaint.rule?.stays);
  const telling = cycle.find(({ complaint }) => complaint.rule?.isTelling);
  const isFaultBelow = exits.some(({ leadsToFault }) => leadsToFault);
  const saysMore = !isFaultBelow && !staying.some((one) => one !== telling && isFault(one));
  if (telling && saysMore) telling.below = [];
  // Of a cycle that nothing else explains, the complaint that was reached first is the cause.
  const first = telling && saysMore ? telling : exits.length === 0 && staying.length === 0 ? cycle[0] : undefined;
  const roots = [...staying, ...(first ? [first] : [])];
  for (const root of roots) root.isRoot = true;
  const leadsToFault = isFaultBelow || roots.some(isFault);
  for (const node of cycle) node.leadsToFault = leadsToFault;
};

/** Notes the nearest node that each one explains, from which the shortest paths follow. */
const notePaths = (starts: readonly Node[], explained: Map<Node, Node | undefined>): void => {
  const queue = [...new Set(starts)].filter((node) => !explained.has(node));
  for (const node of queue) explained.set(node, undefined);
  for (const node of queue)
    for (const one of node.below)
      if (!explained.has(one)) {
        explained.set(one, node);
        queue.push(one);
      }
};

const pathTo = (root: Node, explained: ReadonlyMap<Node, Node | undefined>): Complaint[] => {
  const path: Complaint[] = [];
  for (let node = explained.get(root); node; node = explained.get(node)) path.push(node.complaint);
  return path.toReversed();
};

/** The roots of each group of complaints, those of an earlier group left out. */
export const rootsOf = (groups: readonly (readonly Complaint[])[], graph: Graph): Root[][] => {
  const nodeOf = nodesFrom(graph);
  const starts = groups.map((complaints) => complaints.map(nodeOf));
  for (const cycle of cyclesFrom(starts.flat())) decide(cycle);
  const visited = new Set<Node>();
  const explained = new Map<Node, Node | undefined>();
  return starts.map((nodes) => {
    const roots: Node[] = [];
    notePaths(nodes, explained);
    walk(nodes, visited, { leave: (node) => node.isRoot && roots.push(node) });
    return roots.map((root) => ({ complaint: root.complaint, path: pathTo(root, explained) }));
  });
};
