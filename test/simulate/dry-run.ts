/** Runs a controller's pass on the current state with every effect withheld. */
import { pkiPort, workflowsPort, workloadPort } from '../../adapters/ports.ts';
import { createSnapshots, snapshotsPort } from '../../adapters/snapshots/index.ts';
import { memoryScratch } from '../../adapters/snapshots/scratch.ts';
import { createWorkload } from '../../adapters/workload/index.ts';
import { controllers } from '../../kinds/controllers.ts';
import { equal } from '../../machinery/api/merge.ts';
import type { Wiring } from '../../machinery/api/wiring.ts';
import {
  createPass,
  createRouter,
  createWriter,
  type Port,
  type Run,
  type WorkItem,
  type WorkKey,
} from '../../machinery/controller/index.ts';
import { createAwaits } from '../../machinery/operations/index.ts';
import { prepareObject } from '../../machinery/server/prepare.ts';
import type { Decision, Store } from '../../machinery/store/index.ts';
import { composeFoundation } from '../../runtime/foundation.ts';
import { dice } from './dice.ts';
import { parseOnce } from './parse.ts';
import type { Site } from './site.ts';

export interface Sight {
  /** The first effect that the controller would have. */
  wants: string | undefined;
  /** Whether only condition messages would change, which the debounce may defer. */
  isWordy: boolean;
  /** Whether the pass read a workload cluster, whose changes cause no event. */
  isAsking: boolean;
}

export interface Looker {
  readonly controllers: readonly { name: string; kind: string; type: string }[];
  /** Passes that read the account have no result: their reads may be stale. */
  look(key: WorkKey, item: WorkItem): Promise<Sight>;
  /** The router that this wiring would make. */
  routerOf(wiring: Wiring): ReturnType<typeof createRouter>;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
/** The path of the first difference between two values, with both values. */
const difference = (before: unknown, after: unknown, path = ''): string => {
  if (!isRecord(before) || !isRecord(after)) return `${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`;
  const name = Object.keys({ ...before, ...after }).find((one) => !equal(before[one], after[one])) ?? '';
  const [was, is] = [before[name], after[name]];
  // A condition's type identifies it better than its index.
  const step = isRecord(is) && typeof is.type === 'string' ? is.type : name;
  return difference(was, is, `${path}/${step}`);
};

export const createLooker = (site: Site, installation: string): Looker => {
  let withheld: string | undefined;
  let isAsking = false;
  let isBlind = false;
  const withhold = (what: string): Promise<never> => {
    withheld ??= what;
    return Promise.reject(new Error(`${what} is withheld`));
  };
  const { clock, keys } = site;
  const foundation = composeFoundation({
    installation,
    clock,
    random: dice(site.seed, 'looker'),
    log: { info: () => {}, error: () => {} },
    keys,
    objects: site.objects,
    work: site.work,
    queueOf: () => ({ send: () => withhold('send a message') }),
    parse: parseOnce,
  });
  const commit: Store['commit'] = async (type, key, decide) => {
    const current = await foundation.store.get(type, key);
    const decision: Decision = await decide(current);
    if (decision.do === 'nothing') return decision.object;
    const how = decision.do === 'put' && current ? ` at ${difference(current, decision.object)}` : '';
    return withhold(`${decision.do} ${type} ${key.namespace}/${key.name}${how}`);
  };
  const store = { ...foundation.store, commit };
  const workflows = {
    ...site.workflows,
    start: () => withhold('start an execution'),
    stop: () => withhold('stop an execution'),
    succeed: () => withhold('answer a task'),
    fail: () => withhold('fail a task'),
  };
  const asked = workloadPort(createWorkload({ transport: site.transport }));
  const workload: Port = {
    read: (...question) => {
      isAsking = true;
      return asked.read(...question);
    },
    call: (operation) => withhold(`${operation} in a cluster`),
  };
  const stored = snapshotsPort(
    createSnapshots({
      ...site,
      ...site.links,
      storage: site.files,
      keyStorage: site.keyFiles,
      toScratch: memoryScratch,
    }),
  );
  const snapshots: Port = { read: stored.read, call: (operation) => withhold(`${operation} a snapshot`) };
  const cloud: Port = {
    read: () => {
      isBlind = true;
      return Promise.reject(new Error('the account is not read'));
    },
    call: (operation) => withhold(operation),
  };
  const options = {
    ...foundation,
    store,
    writer: createWriter({ ...foundation, store, prepare: async () => prepareObject }),
    ports: { workload, cloud, snapshots, pki: pkiPort(site.pki), workflows: workflowsPort(workflows) },
    config: { speed: 1, workflows: true },
    awaits: createAwaits({ table: foundation.work, workflows, clock: foundation.clock }),
  };
  const passes = new Map<string, Run>(
    controllers.map((controller) => [controller.name, createPass(controller, options)]),
  );
  const look: Looker['look'] = async (key, item) => {
    withheld = undefined;
    isAsking = false;
    isBlind = false;
    const pass = passes.get(key.controller)!;
    const outcome = await pass(key, item).catch(() => undefined);
    const isWordy = outcome?.ended === 'finished' && outcome.deferredSince !== undefined;
    // Runs the pass again as if the debounce had expired.
    if (isWordy) await pass(key, { ...item, deferredSince: 0 }).catch(() => {});
    return { wants: isBlind ? undefined : withheld, isWordy, isAsking };
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    routerOf: (wires) => createRouter({ wiring: wires, kinds: foundation.kinds, store: foundation.store }),
    controllers: controllers.map(({ name, for: kind }) => ({ name, kind, type: foundation.kinds.typeOf(kind) })),
    // Sequential, because `withheld` and the flags are shared.
    look: (key, item) => {
      const sight = last.then(() => look(key, item));
      last = sight;
      return sight;
    },
  };
};
