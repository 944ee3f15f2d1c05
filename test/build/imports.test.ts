import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const skipped = new Set(['node_modules', 'dist', 'out']);

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.name.startsWith('.') || skipped.has(entry.name)) return [];
    if (entry.isDirectory()) return filesIn(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });

const isTest = (file: string) => /\.(test|fixture|contract)\.ts$/.test(file) || file.startsWith('test/');
const sources = filesIn('').filter((file) => !isTest(file));

const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const specifiers = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)'([^']+)'/g)].map((match) => match[1]!);

interface Import {
  from: string;
  /** A path in the repository, or a package or built-in module as written. */
  to: string;
}
const resolved = (from: string, specifier: string): string =>
  specifier.startsWith('.') ? relative(root, normalize(join(root, dirname(from), specifier))) : specifier;
const imports: Import[] = sources.flatMap((from) =>
  specifiers(textOf(from)).map((specifier) => ({ from, to: resolved(from, specifier) })),
);
const ours = imports.filter(({ to }) => sources.includes(to));
const foreign = imports.filter(({ to }) => !sources.includes(to));

/** The built-in Kubernetes kinds, which a simulated workload cluster serves, too, and what its programs take. */
const ofKubernetes = ['kinds/kubernetes/', 'kinds/components/'];

/** Data about the calls of the adapters. */
const permissions = sources.filter((file) => /^adapters\/aws\/[a-z-]+\/permissions\.ts$/.test(file));

/** The adapters shared by AWS, the local runtime and the simulator. */
const neutral = [
  'adapters/cloud/',
  'adapters/decisions/',
  'adapters/installation/',
  'adapters/memory/notifier.ts',
  'adapters/ports.ts',
  'adapters/snapshots/',
  'adapters/workload/',
];

/** The Capstan modules that each part of the tree may import besides itself. */
const may: Record<string, string[]> = {
  'machinery/': [],
  'kinds/': ['machinery/api/'],
  'adapters/': ['machinery/', 'kinds/ports/', 'simulation/ports.ts'],
  'simulation/': ['machinery/', 'kinds/ports/', ...ofKubernetes],
  'cdk/': [
    'wiring.ts',
    'stepfunctions/index.ts',
    'machinery/store/format.ts',
    'kinds/ports/',
    'adapters/aws/identity/hosts.ts',
    ...permissions,
  ],
  'runtime/': ['machinery/', 'kinds/', 'wiring.ts', ...neutral],
  'wiring.ts': ['machinery/api/'],
};

/** The modules that each part of the tree must never import: shared code belongs in runtime/. */
const never: Record<string, string[]> = {
  'lambdas/': ['local/', 'cli/', 'emulator/', 'front/', 'simulation/'],
  'local/': ['lambdas/', 'cli/', 'emulator/', 'front/', 'adapters/aws/'],
};

/** What each wing of kinds may import of the others. Core never imports a provider: it meets them by role. */
const walls: Record<string, string[]> = {
  ports: [],
  common: [],
  components: [],
  kubernetes: ['common/'],
  core: ['common/', 'ports/'],
  'bootstrap-kubeadm': ['common/', 'ports/'],
  'controlplane-kubeadm': ['common/', 'ports/', 'bootstrap-kubeadm/'],
  'controlplane-eks': ['common/', 'ports/', 'bootstrap-kubeadm/', 'infrastructure-aws/'],
  'infrastructure-aws': ['common/', 'components/', 'ports/', 'ipam/'],
  addons: ['common/', 'ports/'],
  autoscaling: ['common/', 'ports/'],
  extensions: ['common/', 'ports/', 'kubernetes/'],
  ipam: ['common/', 'ports/'],
  operations: ['common/', 'components/', 'ports/'],
  capstan: ['common/', 'ports/', 'infrastructure-aws/'],
  // The registry of controllers.
  workers: [''],
};
/** What core offers to all that build on it: its contract with providers, and its kinds. */
const coreApi = /^kinds\/core\/(contract\/.*|[a-z-]+\/(index|schema)\.ts)$/;
const offers = Object.keys(walls).filter(
  (wing) => !['ports', 'common', 'components', 'kubernetes', 'core'].includes(wing),
);
/** The preflight reads kubeadm configs: a cluster on AWS is refused before it creates anything. */
const acrossWalls = [
  {
    from: 'kinds/infrastructure-aws/preflight/',
    to: ['kinds/bootstrap-kubeadm/', 'kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts'],
  },
];

describe('imports point one way', () => {
  it.each(Object.entries(may))('%s imports only its dependencies', (part, allowed) => {
    const isAllowed = ({ to }: Import) => [part, ...allowed].some((prefix) => to.startsWith(prefix));
    const own = ours.filter(({ from }) => from.startsWith(part));
    expect(own.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it.each(Object.entries(never))('%s imports nothing of %s', (part, forbidden) => {
    const isForbidden = ({ from, to }: Import) =>
      from.startsWith(part) && forbidden.some((prefix) => to.startsWith(prefix));
    expect(ours.filter(isForbidden).map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it.each(Object.entries(walls))('kinds/%s imports only its dependencies', (wing, allowed) => {
    const from = `kinds/${wing}/`;
    const reachable = [from, ...allowed.map((part) => `kinds/${part}`), 'kinds/define.ts', 'machinery/api/'];
    const isAllowed = ({ to }: Import) =>
      reachable.some((prefix) => to.startsWith(prefix)) || (offers.includes(wing) && coreApi.test(to));
    const exceptions = acrossWalls.filter((one) => one.from.startsWith(from));
    const isException = (one: Import) =>
      exceptions.some((part) => one.from.startsWith(part.from) && part.to.some((prefix) => one.to.startsWith(prefix)));
    const own = ours.filter((one) => one.from.startsWith(from));
    expect(
      own.filter((one) => !isAllowed(one) && !isException(one)).map(({ from: file, to }) => `${file} → ${to}`),
    ).toEqual([]);
  });

  it('the engine of AWS resources and the network belong to no kind', () => {
    const wing = 'kinds/infrastructure-aws/';
    const lower = [`${wing}engine/`, `${wing}network/`, `${wing}shapes.ts`];
    const isAllowed = ({ from, to }: Import) =>
      !to.startsWith(wing) ||
      (from.startsWith(lower[0]!) ? lower.slice(0, 1) : lower).some((part) => to.startsWith(part));
    const own = ours.filter(({ from }) => lower.some((part) => from.startsWith(part)));
    expect(own.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('wings of kinds form no cycle', () => {
    const wingOf = (file: string) => /^kinds\/([a-z-]+)\//.exec(file)?.[1];
    const edges = ours.flatMap(({ from, to }) => {
      const [a, b] = [wingOf(from), wingOf(to)];
      return a && b && a !== b ? [[a, b] as const] : [];
    });
    const reaches = (from: string, seen: Set<string>): Set<string> => {
      for (const [a, b] of edges) if (a === from && !seen.has(b)) reaches(b, seen.add(b));
      return seen;
    };
    const circular = Object.keys(walls).filter((wing) => reaches(wing, new Set()).has(wing));
    expect(circular).toEqual([]);
  });

  it('every folder of kinds belongs to a wing', () => {
    const folders = new Set(sources.flatMap((file) => /^kinds\/([a-z-]+)\//.exec(file)?.[1] ?? []));
    expect(Object.keys(walls).sort()).toEqual([...folders].sort());
  });

  it('kinds/ports and machinery/api depend on types only', () => {
    const outside = ours.filter(
      ({ from, to }) =>
        (from.startsWith('kinds/ports/') && !to.startsWith('kinds/ports/') && !to.startsWith('machinery/api/')) ||
        (from.startsWith('machinery/api/') && !to.startsWith('machinery/api/') && to !== 'machinery/store/store.ts'),
    );
    expect(outside.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('the check finds violations', () => {
    expect(ours.length).toBeGreaterThan(100);
    expect(specifiers(`import a from './a.ts';\nexport * from '../b.ts'; await import('c'); import 'd';`)).toEqual([
      './a.ts',
      '../b.ts',
      'c',
      'd',
    ]);
  });
});

describe('decisions stay pure', () => {
  const isPure = (file: string) => file.startsWith('machinery/') || file.startsWith('kinds/');
  /** Built-in modules without I/O, clock or randomness that matters. */
  const harmless = ['node:crypto', 'node:zlib', 'node:util', 'node:buffer', 'node:net'];

  it('machinery and kinds reach the outside world through ports only', () => {
    const reached = foreign.filter(({ from, to }) => isPure(from) && to.startsWith('node:') && !harmless.includes(to));
    expect(reached.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('only adapters call AWS, except for the emulator and what deploys', () => {
    // The CDK's app reads what is deployed, to keep its settings.
    const speak = ['adapters/', 'cli/', 'emulator/', 'cdk/deployed.ts'];
    const isAllowed = (from: string) => speak.some((part) => from.startsWith(part));
    const spoken = foreign.filter(({ from, to }) => to.startsWith('@aws-sdk/') && !isAllowed(from));
    expect(spoken.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('tests mock SDK clients through the fixture that restores them', () => {
    const direct = filesIn('').filter((file) => specifiers(textOf(file)).includes('aws-sdk-client-mock'));
    expect(direct).toEqual(['adapters/aws/service/sdk-mock.fixture.ts']);
  });

  it('only adapters, local and cli read a clock or draw a random number', () => {
    const impure =
      /\bDate\.now\(|\bMath\.random\(|\bset(?:Timeout|Interval|Immediate)\(|\bnew Date\(\)|\bperformance\.now\(/;
    const guarded = sources.filter((file) => isPure(file) || file.startsWith('simulation/'));
    expect(guarded.filter((file) => impure.test(textOf(file)))).toEqual([]);
  });
});
