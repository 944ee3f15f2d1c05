/**
 * Who reads something is told when it changes. Of each object that is written, whoever read it in its last pass decides
 * twice: as if nothing had been written, and as it is now. Where that differs the wiring must lead there. When everything is
 * at rest the same is asked of each field of whatever was read: who would decide otherwise, if somebody changed it?
 */
import { controllers } from '../../../kinds/controllers.ts';
import { kinds } from '../../../kinds/index.ts';
import { resourceOf } from '../../../machinery/api/kind.ts';
import { type KubeObject, keyOf } from '../../../machinery/api/object.ts';
import type { Part, Wiring } from '../../../machinery/api/wiring.ts';
import { routingAttributes } from '../../../machinery/store/routing.ts';
import type { LogEntry } from '../../../machinery/store/store.ts';
import type { Commit } from '../mirror.ts';
import type { World } from '../site.ts';
import { mights } from './changes.ts';
import { type Difference, difference } from './differs.ts';
import { type Decision, decideIn, isNamed, isRead, type Pass, type Sight } from './overhear.ts';

/** Somebody who is not told of what he goes by. */
export interface Gap {
  controller: string;
  kind: string;
  parts: readonly Part[];
  /** What changed, and in what the decision differs. */
  what: string;
  how: Difference;
  /** Seconds from then until it looked all the same; absent where it only might have changed, or nobody looked any more. */
  looked?: number;
}

export interface Listening {
  onPass(pass: Pass): void;
  onCommit(commit: Commit): void;
  /** When nothing happens any more. */
  atRest(): Promise<void>;
  gaps(): Promise<readonly Gap[]>;
}

/** Seconds in which somebody is to be told, or looks by himself. */
const soon = 60;
/** They look over everything now and then, which is what they are for. */
const sweeping = new Set(['drift', 'installation']);
/** Of one field of one kind, so many are changed for each controller. */
const tries = 2;

const kindOf = new Map(kinds.map((kind) => [resourceOf(kind), kind]));
const named = new Map(kinds.map((kind) => [kind.kind, kind]));
const writerOf = new Map(
  controllers.flatMap((one) => (one.conditions === 'none' ? [] : [[one.for, one.name] as const])),
);

const idOf = ({ controller, key }: Pass) => `${controller.name} ${keyOf(key)}`;
const partsOf = ({ event, changed }: LogEntry): readonly Part[] => {
  if (event === 'ADDED') return ['created'];
  return event === 'DELETED' ? ['deleted'] : changed;
};

/** Whether nothing is done about an object that is there, nor looked at again soon. */
const rests = ({ plan, paused }: Decision): boolean => {
  if (!plan) return paused !== undefined;
  const { actions = [], again = false, requeueAfter = Number.POSITIVE_INFINITY } = plan;
  return actions.length === 0 && !again && requeueAfter > soon;
};

/** Whether a pass made something itself. */
const hasMade = ({ controller, key, plan }: Pass, { writer }: LogEntry, object: KubeObject): boolean =>
  writer === controller.name &&
  ((controller.for === object.kind && isNamed(key, object)) ||
    (plan.actions ?? []).some((action) => {
      if (action.do === 'call') return false;
      const made = action.do === 'create' ? { kind: action.object.kind, ...action.object.metadata } : action;
      return made.kind === object.kind && isNamed(made, object);
    }));

export type Tells = (pass: Pass, entry: LogEntry) => Promise<boolean>;

/** Whether a change leads to a controller's object soon, if this is the wiring. */
export const tellsBy = ({ looker }: World, wiring: Wiring): Tells => {
  const route = looker.routerOf(wiring);
  return async ({ controller, key: own }, entry) =>
    (await route(entry)).some(
      ({ key, after = 0 }) => key.controller === controller.name && isNamed(own, { metadata: key }) && after <= soon,
    );
};

export const listen = (world: World, isTold: Tells): Listening => {
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
  /** As it would be with `is` in the place of this object. */
  const instead = (one: KubeObject, is: KubeObject | undefined): Sight => ({
    get: (kind, key) => (kind === one.kind && isNamed(key, one) ? is : now.get(kind, key)),
    all: (kind) => {
      if (kind !== one.kind) return now.all(kind);
      const others = now.all(kind).filter((other) => !isNamed(one.metadata, other));
      return is ? [...others, is] : others;
    },
  });
  const decide = (sight: Sight, pass: Pass) => decideIn(sight, pass, clock.now());

  /** Notes it, unless it is told, as soon as what was asked before is answered; `at`: when it changed, where it did. */
  const expectTold = (pass: Pass, entry: LogEntry, gap: Gap, at?: number) => {
    const id = idOf(pass);
    asked = asked.then(async () => {
      if (await isTold(pass, entry)) return;
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
    parts: partsOf(entry),
    how,
    what: `${controller.name} of ${keyOf(key)} hears nothing of ${kind} ${entry.name} ${field}, by which ${how} differ`,
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
        const how = difference(decide(former, pass), decide(now, pass));
        const field = `${entry.event} [${entry.changed}] by ${entry.writer ?? 'a client'}`;
        if (how && !entry.settled) expectTold(pass, entry, gapOf(pass, entry, kind, field, how), clock.now());
      }
    },
    atRest: async () => {
      const tried = new Map<string, number>();
      for (const pass of last.values()) {
        const usual = decide(now, pass);
        if (!rests(usual)) continue;
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
              how = difference(usual, decide(instead(one, after), pass));
              const event = before ? (after ? 'MODIFIED' : 'DELETED') : 'ADDED';
              const writer = what.startsWith('.status') ? writerOf.get(kind.kind) : undefined;
              facts = routingAttributes(event, before, one, { kind, writer, settled: false });
            } catch {
              // Nothing that is stored looks like this.
              continue;
            }
            if (!how) continue;
            const entry = { ...facts, type: resourceOf(kind), position: 0 } as unknown as LogEntry;
            expectTold(pass, entry, gapOf(pass, entry, kind.kind, what, how));
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
