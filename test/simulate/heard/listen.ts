/**
 * Checks that the wiring notifies every controller that a change affects. For each object written,
 * each controller that read it in its last pass decides twice: on the former state and on the
 * current one. If the decisions differ, the wiring must lead from the change to the controller.
 * When the world is idle, the same check runs for a hypothetical change of each field that a
 * controller read.
 */
import { controllers } from '../../../kinds/controllers.ts';
import { kinds } from '../../../kinds/index.ts';
import { resourceOf } from '../../../machinery/api/kind.ts';
import { type KubeObject, keyOf } from '../../../machinery/api/object.ts';
import type { Level, Wiring } from '../../../machinery/api/wiring.ts';
import { routingAttributes } from '../../../machinery/store/routing.ts';
import type { LogEntry } from '../../../machinery/store/store.ts';
import type { Commit } from '../mirror.ts';
import type { World } from '../site.ts';
import { mights } from './changes.ts';
import { type Difference, difference } from './differs.ts';
import { type Decision, decideIn, isNamed, isRead, type Pass, type Sight } from './overhear.ts';

/** A controller that is not notified of a change that affects its decision. */
export interface Gap {
  controller: string;
  kind: string;
  /** Of the change; `object` if it concerns the object itself. */
  level: Level | 'object';
  /** The change and the difference between the decisions. */
  what: string;
  how: Difference;
  /**
   * Seconds until the controller reconciled anyway; absent for a hypothetical change, and when it
   * never reconciled.
   */
  looked?: number;
}

export interface Listening {
  onPass(pass: Pass): void;
  onCommit(commit: Commit): void;
  /** Call it when the world is idle. */
  whenIdle(): Promise<void>;
  gaps(): Promise<readonly Gap[]>;
}

/** Seconds within which a controller must be notified, or requeues the object itself. */
const soon = 60;
/** Controllers that scan everything at intervals. */
const sweeping = new Set(['drift', 'installation']);
/** The number of hypothetical changes of one field of one kind for each controller. */
const tries = 2;

const kindOf = new Map(kinds.map((kind) => [resourceOf(kind), kind]));
const named = new Map(kinds.map((kind) => [kind.kind, kind]));
const writerOf = new Map(
  controllers.flatMap((one) => (one.conditions === 'none' ? [] : [[one.for, one.name] as const])),
);

const idOf = ({ controller, key }: Pass) => `${controller.name} ${keyOf(key)}`;
const levelIn = ({ level }: LogEntry): Gap['level'] => level ?? 'object';
const notesOf = ({ controller }: Pass) => named.get(controller.for)?.notes;

/** Whether the decision is to do nothing and to requeue nothing soon. */
const isIdle = ({ plan, paused }: Decision): boolean => {
  if (!plan) return paused !== undefined;
  const { actions = [], again = false, requeueAfter = Number.POSITIVE_INFINITY } = plan;
  return actions.length === 0 && !again && requeueAfter > soon;
};

/** Whether the pass wrote the object itself. */
const hasMade = ({ controller, key, plan }: Pass, { writer }: LogEntry, object: KubeObject): boolean =>
  writer === controller.name &&
  ((controller.for === object.kind && isNamed(key, object)) ||
    (plan.actions ?? []).some((action) => {
      if (action.do === 'call') return false;
      const made = action.do === 'create' ? { kind: action.object.kind, ...action.object.metadata } : action;
      return made.kind === object.kind && isNamed(made, object);
    }));

export type Tells = (pass: Pass, entry: LogEntry) => Promise<boolean>;

/** Whether this wiring enqueues the controller's object soon after a change. */
export const tellsBy = ({ looker }: World, wiring: Wiring): Tells => {
  const route = looker.routerOf(wiring);
  return async ({ controller, key: own }, entry) =>
    (await route(entry)).some(
      ({ key, after = 0 }) => key.controller === controller.name && isNamed(own, { metadata: key }) && after <= soon,
    );
};

export const listen = (world: World, isNotified: Tells): Listening => {
  const { mirror, clock } = world;
  const last = new Map<string, Pass>();
  const looked = new Map<string, number>();
  const gaps: Gap[] = [];
  const unlooked = new Map<string, { gap: Gap; at: number }[]>();
  let asked: Promise<unknown> = Promise.resolve();
  const now: Sight = {
    get: (kind, { namespace = '', name }) => mirror.get(kind, namespace, name),
    all: (kind) => mirror.all(kind),
  };
  /** The current state with `is` in place of this object. */
  const instead = (one: KubeObject, is: KubeObject | undefined): Sight => ({
    get: (kind, key) => (kind === one.kind && isNamed(key, one) ? is : now.get(kind, key)),
    all: (kind) => {
      if (kind !== one.kind) return now.all(kind);
      const others = now.all(kind).filter((other) => !isNamed(one.metadata, other));
      return is ? [...others, is] : others;
    },
  });
  const decide = (sight: Sight, pass: Pass) => decideIn(sight, pass, clock.now());

  /**
   * Records a gap unless the wiring notifies the controller. It first waits for earlier checks.
   * `at` is the time of the change, absent for a hypothetical one.
   */
  const expectNotified = (pass: Pass, entry: LogEntry, gap: Gap, at?: number) => {
    const id = idOf(pass);
    asked = asked.then(async () => {
      if (await isNotified(pass, entry)) return;
      gaps.push(gap);
      if (at === undefined) return;
      const later = last.get(id) !== pass && looked.get(id);
      if (later) gap.looked = (later - at) / 1000;
      else unlooked.set(id, [...(unlooked.get(id) ?? []), { gap, at }]);
    });
  };

  const gapOf = ({ controller, key }: Pass, entry: LogEntry, kind: string, field: string, how: Difference): Gap => ({
    controller: controller.name,
    kind,
    level: levelIn(entry),
    how,
    what: `${controller.name} of ${keyOf(key)} is not notified of ${kind} ${entry.name} ${field}, which changes its ${how}`,
  });

  return {
    onPass: (pass) => {
      if (sweeping.has(pass.controller.name)) return;
      const id = idOf(pass);
      last.set(id, pass);
      looked.set(id, clock.now());
      for (const { gap, at } of unlooked.get(id) ?? []) gap.looked = (clock.now() - at) / 1000;
      unlooked.delete(id);
    },
    onCommit: ({ object, before, body: _, ...entry }) => {
      const kind = kindOf.get(entry.type)?.kind;
      const one = object ?? before;
      if (!kind || kind === 'Event' || !one) return;
      const former = instead(one, before);
      for (const pass of last.values()) {
        if (![before, object].some((state) => state && isRead(pass, kind, state))) continue;
        if (hasMade(pass, entry, one) || (pass.plan.requeueAfter ?? Number.POSITIVE_INFINITY) <= soon) continue;
        const how = difference(decide(former, pass), decide(now, pass), notesOf(pass));
        const field = `${entry.event} (${levelIn(entry)}) by ${entry.writer ?? 'a client'}`;
        if (how && !entry.settled) expectNotified(pass, entry, gapOf(pass, entry, kind, field, how), clock.now());
      }
    },
    whenIdle: async () => {
      const tried = new Map<string, number>();
      for (const pass of last.values()) {
        const undisturbed = decide(now, pass);
        if (!isIdle(undisturbed)) continue;
        for (const question of pass.questions) {
          const kind = named.get('get' in question ? question.get : question.list);
          if (!kind) continue;
          for (const { what, before, after: make } of mights(question, now)) {
            const id = `${pass.controller.name} ${kind.kind} ${what}`;
            const times = tried.get(id) ?? 0;
            if (times >= tries) continue;
            tried.set(id, times + 1);
            const after = make();
            const one = (after ?? before)!;
            let how: Difference | undefined;
            let facts: ReturnType<typeof routingAttributes>;
            try {
              how = difference(undisturbed, decide(instead(one, after), pass), notesOf(pass));
              const event = before ? (after ? 'MODIFIED' : 'DELETED') : 'ADDED';
              const writer = what.startsWith('.status') ? writerOf.get(kind.kind) : undefined;
              facts = routingAttributes(event, before, one, { kind, writer, settled: false });
            } catch {
              // The API server would never store this object.
              continue;
            }
            if (!how) continue;
            const entry = { ...facts, type: resourceOf(kind), position: 0 } as unknown as LogEntry;
            expectNotified(pass, entry, gapOf(pass, entry, kind.kind, what, how));
          }
        }
      }
      await asked;
    },
    gaps: async () => {
      await asked;
      return gaps;
    },
  };
};
