/**
 * An exhaustive search over all orders of steps. A world is rebuilt and replayed for each history, because running code
 * cannot be copied; a state that was reached before is not explored again.
 */

export interface Step {
  /** The name of the step in the history of a counterexample; equal states offer equal names in the same order. */
  label: string;
  take: () => void;
}

export interface World {
  /** The possible next steps; empty at the end of a history. */
  steps(): Step[];
  /** Equal for states with the same future. */
  fingerprint(): string;
  /** Throws a Violation; called after every step. */
  check(): void;
  /** Throws a Violation; called at the end of a history. */
  checkEnd(): Promise<void>;
}

/** A property does not hold; the explorer adds the history that led there. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export interface Explored {
  histories: number;
  states: number;
  /** The first counterexample, if any. */
  violation?: string;
}

/** Lets every promise settle that can: the code under test waits for steps of the world only. */
const quiet = () => new Promise<void>((resolve) => setImmediate(resolve));

/** FNV-1a over 2 × 32 bits: long enough that two of a million states do not collide. */
const digest = (text: string): string => {
  let a = 0x811c9dc5;
  let b = 0xdeadbeef;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x5bd1e995);
  }
  return `${a >>> 0}.${b >>> 0}.${text.length}`;
};

interface Branch {
  taken: number;
  of: number;
}

const nextBranch = (path: Branch[]): boolean => {
  while (path.length > 0) {
    const last = path.at(-1)!;
    last.taken++;
    if (last.taken < last.of) return true;
    path.pop();
  }
  return false;
};

/** Explores every history of the world, up to the first violation. Throws when there are more than `most` states. */
export const explore = async (build: () => World, most = 50_000): Promise<Explored> => {
  const seen = new Set<string>();
  const path: Branch[] = [];
  let histories = 0;
  do {
    histories++;
    const world = build();
    const trace: string[] = [];
    await quiet();
    try {
      for (let depth = 0; ; depth++) {
        const steps = world.steps();
        if (steps.length === 0) {
          await world.checkEnd();
          break;
        }
        const isNew = depth === path.length;
        if (isNew) path.push({ taken: 0, of: steps.length });
        const step = steps[path[depth]!.taken]!;
        trace.push(step.label);
        step.take();
        await quiet();
        if (depth < path.length - 1) continue;
        world.check();
        const state = digest(world.fingerprint());
        if (seen.has(state)) break;
        seen.add(state);
        if (seen.size > most) throw new Error(`more than ${most} states`);
      }
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      return { histories, states: seen.size, violation: `${error.message}\n  ${trace.join('\n  ')}` };
    }
  } while (nextBranch(path));
  return { histories, states: seen.size };
};
