/** A node whose children are nodes of the same kind. */
export interface Tree<Node> {
  readonly children: readonly Node[];
}

/** A tree in postorder: each node with the first leaf below it, and the nodes that have a sibling before them, and the root. */
interface Postorder<Node> {
  readonly nodes: readonly Node[];
  readonly firstLeaf: readonly number[];
  readonly keyRoots: readonly number[];
}

/**
 * The least cost to turn one ordered tree into another, where a node deleted or inserted costs 1 and a node changed what
 * `rename` says: Zhang and Shasha, "Simple Fast Algorithms for the Editing Distance between Trees and Related Problems"
 * (1989). The distance is the same whichever algorithm finds it; this one is quick for shallow trees.
 */
export function treeDistance<Node extends Tree<Node>>(
  one: Node,
  other: Node,
  rename: (one: Node, other: Node) => number,
): number {
  const [a, b] = [toPostorder(one), toPostorder(other)];
  const width = b.nodes.length;
  const subtrees = new Float64Array(a.nodes.length * width);
  const forests = new Float64Array((a.nodes.length + 1) * (width + 1));
  for (const i of a.keyRoots) {
    for (const j of b.keyRoots) fillForests({ a, b, subtrees, forests, rename }, i, j);
  }
  return subtrees[subtrees.length - 1]!;
}

interface Work<Node> {
  readonly a: Postorder<Node>;
  readonly b: Postorder<Node>;
  readonly subtrees: Float64Array;
  readonly forests: Float64Array;
  readonly rename: (one: Node, other: Node) => number;
}

function fillForests<Node>({ a, b, subtrees, forests, rename }: Work<Node>, i: number, j: number): void {
  const [fromA, fromB] = [a.firstLeaf[i]!, b.firstLeaf[j]!];
  const width = j - fromB + 2;
  const subtreeWidth = b.nodes.length;
  for (let y = 0; y < width; y += 1) forests[y] = y;
  for (let x = fromA; x <= i; x += 1) {
    const row = (x - fromA + 1) * width;
    forests[row] = x - fromA + 1;
    for (let y = fromB; y <= j; y += 1) {
      const at = row + y - fromB + 1;
      const cheapest = Math.min(forests[at - width]!, forests[at - 1]!) + 1;
      const areTrees = a.firstLeaf[x] === fromA && b.firstLeaf[y] === fromB;
      const change = areTrees
        ? forests[at - width - 1]! + rename(a.nodes[x]!, b.nodes[y]!)
        : forests[(a.firstLeaf[x]! - fromA) * width + b.firstLeaf[y]! - fromB]! + subtrees[x * subtreeWidth + y]!;
      forests[at] = Math.min(cheapest, change);
      if (areTrees) subtrees[x * subtreeWidth + y] = forests[at];
    }
  }
}

function toPostorder<Node extends Tree<Node>>(root: Node): Postorder<Node> {
  const nodes: Node[] = [];
  const firstLeaf: number[] = [];
  const visit = (node: Node): void => {
    const first = nodes.length;
    for (const child of node.children) visit(child);
    firstLeaf.push(first);
    nodes.push(node);
  };
  visit(root);
  const lastOfLeaf = new Map(firstLeaf.map((leaf, node) => [leaf, node]));
  return { nodes, firstLeaf, keyRoots: [...lastOfLeaf.values()].toSorted((x, y) => x - y) };
}
