/**
 * The scaling decision of a cluster: a pure function of what is known of it, so that a stored
 * decision can be replayed and explained, and a decision for pods that do not exist can be shown.
 */
import { finish, mapInSteps, type Steps } from '../../../machinery/api/steps.ts';
import { digestInSteps, digestOf } from '../../common/digest.ts';
import { type Availability, availabilityOf, nextZone } from './availability.ts';
import type { PodClass } from './classes.ts';
import type { Origin } from './cluster.ts';
import { closeNodes, consolidate, reservedBy, withNotes } from './consolidation/index.ts';
import { costAfter, pricesNow } from './cost.ts';
import type { Decision, KeptNode, Removal, Scale } from './decision.ts';
import { demandOf } from './demand.ts';
import { drainingOf } from './draining.ts';
import { groupsOf } from './groups.ts';
import { byUse, headroomPods, headroomStates, isHeadroom } from './headroom.ts';
import { historyNow } from './history.ts';
import { Limits } from './limits.ts';
import { type Lost, lostOf } from './lost.ts';
import { inState, machinesOf, type PoolMachines, withoutMachine } from './machines.ts';
import type { Packer, Wanted } from './pack.ts';
import type { Placing } from './place.ts';
import { type Gate, gateOf, isTakenNow, outcomesOf, type Purchases, pausesOf, withBought } from './purchases/index.ts';
import { type Empty, reasonsFor } from './reasons.ts';
import { displacedOn, type Outcome, podGroups } from './report.ts';
import { scaleDown } from './scale-down/index.ts';
import { bySize, emptyFault, placeAll, type ScaleUp, scaleUp } from './scale-up.ts';
import { sickMessage, sickOf } from './sick.ts';
import { countByClass, type Simulation, simulate } from './simulation.ts';
import { isClamped, surplusOf } from './surplus.ts';
import type { History, Inputs, Pool, PoolHistory, Prices } from './types.ts';
import { missingUntil, unfilledOf } from './unfilled.ts';
import { heldFor, withReplicas } from './writers.ts';

export type * from './decision.ts';
export type * from './types.ts';

type Pools<T> = Map<Pool, T>;

/** The pool without replicas that become no node, and without Machines that are replaced. */
const reduced = (pool: Pool, { remove, replace }: Lost, nodeless: number): Pool => {
  const gone = new Set([...remove, ...replace].map(({ machine }) => machine));
  if (gone.size + nodeless === 0) return pool;
  return {
    ...pool,
    replicas: pool.replicas - remove.length - nodeless,
    machines: pool.machines.filter(({ name }) => !gone.has(name)),
  };
};

/** Empty new nodes of the pools, which need not be bought to know what could run on them. */
const emptyNodes = (sim: Simulation, availability: Pools<Availability>): Pools<Empty> =>
  new Map(
    availability.entries().flatMap(([pool, of]) => {
      const facts = sim.maker.added(pool, `${pool.id}#`, nextZone(of, pool));
      return facts ? [[pool, facts] as const] : [];
    }),
  );

const packerOf = (sim: Simulation, limits: Limits, empties: Pools<Empty>, gate: Gate): Packer => {
  const known = new Map<PodClass, Pools<boolean>>();
  const packer: Packer = {
    axes: sim.axes,
    placing: sim.placing,
    maker: sim.maker,
    limits,
    bought: new Map(),
    gate,
    canEver: (pod, pool) => {
      const answers: Pools<boolean> = known.get(pod) ?? new Map();
      known.set(pod, answers);
      const empty = empties.get(pool);
      const answer =
        answers.get(pool) ?? (empty !== undefined && !emptyFault(packer, pod, empty) && !gate.withheld(pod, pool));
      answers.set(pool, answer);
      return answer;
    },
  };
  return packer;
};

type Up = { added: ScaleUp['added']; outcomes: Map<PodClass, Outcome>; isIncomplete: boolean };

/** Places pods on nodes that exist, then on those that come, then on new ones. */
function* place(
  { settings = {} }: Inputs,
  prices: Prices | undefined,
  sim: Simulation,
  packer: Packer,
  availability: Pools<Availability>,
  empties: Pools<Empty>,
): Steps<Up> {
  const { cluster } = sim.placing;
  const nodes = Map.groupBy(cluster.nodes, ({ origin }) => origin);
  const templates = [...empties.values()].map(({ allocatable }) => allocatable);
  const wanted = sim.wanted.toSorted(bySize(cluster.nodes, templates));
  const [reserved, real] = [wanted.filter(({ pod }) => isHeadroom(pod)), wanted.filter(({ pod }) => !isHeadroom(pod))];
  function* placedOn(origin: Origin): Steps<number[]> {
    const before = wanted.map(({ left }) => left);
    const on = nodes.get(origin) ?? [];
    yield* placeAll(packer, real, on);
    if (reserved.length > 0) yield* placeAll(packer, reserved, on.toSorted(byUse));
    return wanted.map(({ left }, at) => before[at]! - left);
  }
  const onExisting = yield* placedOn('existing');
  const onUpcoming = yield* placedOn('upcoming');
  const members = [...availability].map(([pool, of]) => ({ pool, availability: of }));
  const groups = groupsOf(members, settings.balanceSimilarPools ?? true, settings.priorities);
  const { added, isIncomplete } = yield* scaleUp(packer, groups, wanted, { settings, prices, domains: empties });
  const outcomeOf = ([at, one]: [number, Wanted]): Outcome => ({
    left: one.left,
    onExisting: onExisting[at]!,
    onUpcoming: onUpcoming[at]!,
    reasons: one.left > 0 ? reasonsFor(packer, one, availability, empties) : {},
  });
  const outcomes = yield* mapInSteps(wanted.entries(), outcomeOf);
  return { added, isIncomplete, outcomes: new Map(wanted.map(({ pod }, at) => [pod, outcomes[at]!])) };
}

const scaleReason = (
  { replicas, max }: Pool,
  to: number,
  { bought, moved, unfilled }: { bought: number; moved: boolean; unfilled: number },
): Scale['reason'] => {
  if (bought > 0) return moved ? 'Consolidation' : 'TriggeredScaleUp';
  if (to > replicas) return 'MinSize';
  if (replicas > max) return 'MaxSize';
  return unfilled > 0 ? 'NoMachine' : 'ScaleDown';
};

/** Raises a pool to its minimum as far as the limits allow that. */
const raised = (pool: Pool, replicas: number, limits: Limits): number => {
  let to = replicas;
  const most = pool.cannotCreate === undefined ? pool.max : Math.min(pool.max, pool.replicas);
  for (const least = Math.min(pool.min, most); to < least; to++) {
    const bound = limits.exceeded(pool);
    if (bound) {
      limits.reach(bound);
      break;
    }
    limits.take(pool, 1);
  }
  return to;
};

/** Replicas by pool: what is bought or missing to the minimum comes on, what is removed goes off. */
const scales = (
  inputs: Inputs,
  bought: Pools<number>,
  remove: readonly Removal[],
  unfilledBy: Pools<number>,
  {
    reducedPools,
    aboveMaximum,
    limits,
    moved,
    isClamping,
  }: {
    reducedPools: readonly Pool[];
    aboveMaximum: readonly KeptNode[];
    limits: Limits;
    moved: Pool | undefined;
    isClamping: boolean;
  },
): Scale[] =>
  inputs.pools.flatMap((pool, at): Scale[] => {
    if (pool.held) return [];
    const more = bought.get(reducedPools[at]!) ?? 0;
    const fewer = remove.filter((one) => one.pool === pool.id).length;
    const unfilled = unfilledBy.get(pool) ?? 0;
    const kept = aboveMaximum.filter((one) => one.pool === pool.id).length;
    const most = isClamped(pool) && isClamping ? pool.max + kept : Number.POSITIVE_INFINITY;
    const to = raised(pool, Math.min(most, pool.replicas + more - fewer - unfilled), limits);
    if (to === pool.replicas) return [];
    const why = { bought: more, moved: moved === reducedPools[at], unfilled };
    return [{ pool: pool.id, from: pool.replicas, to, reason: scaleReason(pool, to, why) }];
  });

const withLaunches = (past: PoolHistory, added: number, givenBack: number, now: number): PoolHistory => {
  const launches = [...(past.launches ?? []), ...(added > 0 ? [{ at: now, count: added }] : [])];
  // A replica that got no capacity or no Machine is accounted for: it is not a lost launch.
  let rest = givenBack;
  const kept = launches.flatMap(({ at, count }) => {
    const taken = Math.min(rest, count);
    rest -= taken;
    return count > taken ? [{ at, count: count - taken }] : [];
  });
  const { launches: _, ...others } = past;
  return { ...others, ...(kept.length > 0 && { launches: kept }), ...(added > 0 && { scaledUpAt: now }) };
};

type Changes = { bought: number; givenBack: number; purchases: Purchases };

const nextHistory = (
  history: History,
  pools: readonly Pool[],
  scale: readonly Scale[],
  changesOf: (pool: Pool, at: number) => Changes,
  now: number,
): NonNullable<History['pools']> =>
  Object.fromEntries(
    pools.map((pool, at) => {
      const { id, replicas } = pool;
      const { bought, givenBack, purchases } = changesOf(pool, at);
      const past = { ...history.pools?.[id], ...(Object.keys(purchases).length > 0 && { purchases }) };
      const next = withLaunches(past, bought, givenBack, now);
      return [id, withReplicas(next, replicas, scale.find((one) => one.pool === id)?.to ?? replicas, now)];
    }),
  );

const conflictsOf = ({ pools = {} }: History): Decision['conflicts'] =>
  Object.entries(pools).flatMap(([pool, { conflict }]) => (conflict ? [{ pool, ...conflict }] : []));

const earliest = (times: readonly (number | undefined)[], now: number): number | undefined => {
  const later = times.filter((time) => time !== undefined && time > now) as number[];
  return later.length > 0 ? Math.min(...later) : undefined;
};

/** When a Machine that becomes a node is late. */
const deadlines = (machines: Pools<PoolMachines>): number[] =>
  [...machines].flatMap(([pool, of]) => {
    const { provisionTime = 15 * 60_000 } = pool.options ?? {};
    return inState(of, 'upcoming').map(({ createdAt }) => createdAt + provisionTime);
  });

const nothing = (inputs: Inputs, reason: string): Decision => ({
  inputs: digestOf(inputs),
  scale: [],
  remove: [],
  replace: [],
  beside: [],
  pods: [],
  pools: inputs.pools.map(({ id }) => ({ pool: id, blocked: reason })),
  nodes: [],
  headroom: [],
  limits: [],
  conflicts: [],
  history: {
    ...inputs.history,
    pools: Object.fromEntries(
      inputs.pools.map(({ id, replicas }) => [id, { ...inputs.history?.pools?.[id], replicas }]),
    ),
  },
});

const allKept = ({ nodes }: Inputs['snapshot'], why: string): ReadonlyMap<string, string> =>
  new Map(nodes.map(({ name }) => [name, `${why}: no node is removed`]));

/** Withheld pods have no place on nodes that come either, so that another pool buys for them. */
const withGate = (sim: Simulation, gate: Gate, pools: readonly Pool[]): Simulation => {
  const byId = new Map(pools.map((pool) => [pool.id, pool]));
  const admits: Placing['admits'] = (pod, { origin, pool: id }) => {
    const pool = origin === 'existing' ? undefined : byId.get(id ?? '');
    return pool === undefined || gate.withheld(pod, pool)?.until === undefined;
  };
  return { ...sim, placing: { ...sim.placing, admits } };
};

/** Why no pods move now to be cheaper: the cluster changes, or it needs more nodes itself. */
const unrestOf = (packer: Packer, { wanted }: Simulation, pools: readonly Pool[], remove: readonly Removal[]) => {
  if (packer.bought.size > 0) return 'nodes are bought';
  if (remove.length > 0) return 'nodes are removed';
  const canHelp = (pod: PodClass) => pools.some((pool) => packer.canEver(pod, pool));
  return wanted.some(({ pod, left }) => left > 0 && canHelp(pod)) ? 'pods wait for a node' : undefined;
};

/** The decision, in steps because it may take long. */
export function* planInSteps(original: Inputs): Steps<Decision> {
  const { snapshot, settings = {}, now } = original;
  if (snapshot.conflict) return nothing(original, `another autoscaler acts on the cluster: ${snapshot.conflict}`);
  const machinesBy = (pools: readonly Pool[]): Pools<PoolMachines> =>
    new Map(pools.map((pool) => [pool, machinesOf(pool, now)]));
  const history = historyNow(original, machinesBy(original.pools));
  const inputs = { ...original, pools: original.pools.map((pool) => heldFor(pool, history.pools?.[pool.id])) };
  const before = machinesBy(inputs.pools);
  const lost = new Map(
    inputs.pools.map((pool) => [pool, lostOf(pool, before.get(pool)!, history.pools?.[pool.id] ?? {}, now)]),
  );
  const unfilled = unfilledOf(inputs, before, history.pools ?? {});
  const nodelessOf = (pool: Pool) => Math.max(unfilled.get(pool) ?? 0, withoutMachine(pool, before.get(pool)!));
  const pools = inputs.pools.map((pool) => reduced(pool, lost.get(pool)!, nodelessOf(pool)));
  const machines = machinesBy(pools);
  const given = { ...inputs, pools };
  const pending = demandOf(snapshot, settings, now);
  const demand = { ...pending, wanted: [...pending.wanted, ...headroomPods(pools)] };
  const availability = new Map(
    pools.map((pool, at) => [pool, availabilityOf(pool, before.get(inputs.pools[at]!)!, history, settings, now)]),
  );
  const digest = yield* digestInSteps(original);
  const simulated = yield* simulate(given, machines, availability, demand);
  const purchases = outcomesOf(inputs, original.history, before, simulated);
  const gate = gateOf(purchases, (pod, pool) => isTakenNow(given, simulated, pod, pool), now);
  const sim = withGate(simulated, gate, pools);
  const empties = emptyNodes(sim, availability);
  const limits = new Limits(given, machines);
  const packer = packerOf(sim, limits, empties, gate);
  const up = yield* place(inputs, pricesNow(inputs, history), sim, packer, availability, empties);
  const withdrawals = [...lost.values()].flatMap((one) => one.remove);
  const waitingMove = history.consolidation?.move;
  closeNodes(waitingMove, sim);
  const sick = sickOf(given);
  const illness = sick && sickMessage(sick);
  const kept = illness === undefined ? reservedBy(waitingMove, machines) : allKept(snapshot, illness);
  const down = yield* scaleDown({ inputs: given, history, ...sim, machines, kept });
  const unrest = illness ?? unrestOf(packer, sim, pools, [...withdrawals, ...down.remove]);
  const moves = yield* consolidate({
    inputs: given,
    history,
    machines,
    availability,
    empties,
    sim,
    packer,
    down,
    unrest,
    sick: illness,
  });
  if (moves.bought) {
    packer.bought.set(moves.bought, 1);
    limits.take(moves.bought, 1);
  }
  const unneeded = [...down.remove, ...moves.remove];
  const nodes = new Map(snapshot.nodes.map((node) => [node.name, node]));
  const surplus = (sick ? [] : pools).map((pool) =>
    surplusOf(pool, machines.get(pool)!, unneeded, { nodes, pods: sim.pods, budgets: down.budgets, now }),
  );
  const remove = [...withdrawals, ...unneeded, ...surplus.flatMap((one) => one.remove)];
  const aboveMaximum = surplus.flatMap(({ kept }) => kept);
  const changesOf = (pool: Pool, at: number): Changes => {
    const refused = lost.get(pool)!.remove.filter(({ reason }) => reason === 'InsufficientCapacity');
    return {
      bought: packer.bought.get(pools[at]!) ?? 0,
      givenBack: refused.length + (unfilled.get(pool) ?? 0),
      purchases: withBought(purchases[pool.id] ?? {}, pool, up.added, gate, now),
    };
  };
  const waitingPods = yield* countByClass(pending.wanted, sim.classes);
  const cluster = { cluster: sim.placing.cluster, pending: waitingPods, limits };
  const draining = new Map(
    pools.map((pool) => [
      pool.id,
      drainingOf(pool, machines.get(pool)!, { ...cluster, bought: packer.bought.get(pool) ?? 0 }),
    ]),
  );
  const scale = scales(inputs, packer.bought, remove, unfilled, {
    reducedPools: pools,
    aboveMaximum,
    limits,
    moved: moves.bought,
    isClamping: sick === undefined,
  });
  const displaced = displacedOn(pending, sim.classes, up.added);
  const waiting = up.outcomes.values().some(({ left }) => left > 0);
  const conflicts = conflictsOf(history);
  const states = [...availability.values()].map(({ room: _, zone: __, ...state }) => {
    const blocked = draining.get(state.pool)?.blocked;
    return blocked === undefined ? state : { ...state, blocked };
  });
  const due = earliest(
    [
      demand.nextDue,
      ...down.nextDue,
      ...moves.nextDue,
      ...deadlines(machines),
      ...pools.map(({ schedule }) => schedule?.changesAt),
      ...conflicts.map(({ until }) => until),
      ...lost.values().map(({ replaceAt }) => replaceAt),
      ...pools.map((pool) => missingUntil(pool, history.pools?.[pool.id]?.missing)),
      ...(waiting ? states.map(({ until }) => until) : []),
      ...(waiting ? pausesOf(purchases) : []),
      ...(up.isIncomplete ? [now + 1000] : []),
    ],
    now,
  );
  return {
    inputs: digest,
    scale,
    remove,
    replace: [...lost.values()].flatMap(({ replace }) => replace),
    beside: [...draining.values()].flatMap(({ beside }) => beside),
    pods: podGroups(pending, sim.classes, up.added, up.outcomes),
    ...(Object.keys(displaced).length > 0 && { displaced }),
    pools: states,
    nodes: withNotes(down.nodes, moves),
    headroom: headroomStates(pools, sim.wanted, up.outcomes),
    limits: limits.reached(),
    ...(aboveMaximum.length > 0 && { aboveMaximum }),
    ...(sick && { sick }),
    ...(moves.move && { move: moves.move }),
    conflicts,
    usage: { nodes: limits.used.nodes, vCPU: limits.used.vCPU, dollarsPerHour: costAfter(inputs, scale) },
    history: {
      ...history,
      unneededSince: down.unneededSince,
      ...(moves.history && { consolidation: moves.history }),
      pools: nextHistory(history, inputs.pools, scale, changesOf, now),
    },
    ...(due !== undefined && { nextDue: due }),
  };
}

export const plan = (inputs: Inputs): Decision => finish(planInSteps(inputs));
