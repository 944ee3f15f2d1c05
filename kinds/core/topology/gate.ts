/** Lifecycle hooks: which must be called now, which block, and which have let a step pass. Pure. */
import type { JsonObject } from '../../../machinery/api/object.ts';
import type { LifecycleHook } from '../../common/hook-names.ts';
import { askedAgainAt, type HookAnswer, type HookAnswers } from '../contract/lifecycle-hooks.ts';

/** What a hook is asked. */
export interface Question {
  hook: LifecycleHook;
  /** An answer holds for this alone, such as a version. */
  about: string;
  /** Fields of the request, besides the Cluster. */
  fields?: JsonObject;
}

export interface GateFacts {
  /** Whether an extension handles the hook for this Cluster. */
  isHandled: (hook: LifecycleHook) => boolean;
  answers: HookAnswers;
  pending: readonly string[];
  /** Names of annotations of a user that hold upgrades back. */
  holds: readonly string[];
  /** Milliseconds since the epoch. */
  now: number;
}

export interface Blocked {
  hook: LifecycleHook;
  answer: Pick<HookAnswer, 'message'>;
}

export class Gate {
  readonly asking: Question[] = [];
  readonly blocked: Blocked[] = [];
  /** When the next hook is asked again, in milliseconds. */
  due: number | undefined;
  /** The version of the step of an upgrade that begins. */
  begun: string | undefined;
  readonly #facts: GateFacts;
  readonly #pending: Set<string>;

  constructor(facts: GateFacts) {
    this.#facts = facts;
    this.#pending = new Set(facts.pending);
  }

  /** Hooks that are still to be called after what has begun. */
  get pending(): string[] {
    return [...this.#pending].toSorted();
  }

  /** Notes hooks to be called after what is about to begin. */
  begin(...hooks: LifecycleHook[]): void {
    for (const hook of hooks) if (this.#facts.isHandled(hook)) this.#pending.add(hook);
  }

  /** The same after a step of an upgrade to the version. */
  beginStep(version: string, ...hooks: LifecycleHook[]): void {
    this.begin(...hooks);
    if (hooks.some((hook) => this.#pending.has(hook))) this.begun = version;
  }

  /** Whether hooks after a step are pending that never began: its objects were not written. */
  isAheadOf(version: string): boolean {
    const { begun } = this.#facts.answers;
    return begun !== undefined && begun !== version;
  }

  /** Whether the hook was asked that, and blocks. */
  isBlocking(hook: LifecycleHook, about: string): boolean {
    const answer = this.#facts.answers[hook];
    return answer?.about === about && answer.retryAfterSeconds !== undefined;
  }

  /** Whether nothing handles the hook, or all who do let this pass. */
  passes({ hook, about, fields }: Question): boolean {
    if (!this.#facts.isHandled(hook)) return true;
    const answer = this.#facts.answers[hook];
    const question = { hook, about, ...(fields && { fields }) };
    if (answer?.about !== about) {
      this.asking.push(question);
      return false;
    }
    // The API of the hook has no way to block.
    if (answer.retryAfterSeconds === undefined || hook === 'AfterControlPlaneInitialized') return true;
    this.blocked.push({ hook, answer });
    const due = askedAgainAt(answer);
    if (due <= this.#facts.now) this.asking.push(question);
    else this.due = Math.min(this.due ?? due, due);
    return false;
  }

  /** The same for a hook that is called after something began: it is over when it passes. */
  isOver(question: Question): boolean {
    if (!this.#pending.has(question.hook)) return true;
    if (!this.passes(question)) return false;
    this.#pending.delete(question.hook);
    return true;
  }

  /** Whether annotations of a user let an upgrade begin. */
  isFree(): boolean {
    const [held] = this.#facts.holds;
    if (held === undefined) return true;
    this.blocked.push({ hook: 'BeforeClusterUpgrade', answer: { message: `annotation ${held} is set` } });
    return false;
  }
}

/** Without extensions. */
export const openGate = (): Gate => new Gate({ isHandled: () => false, answers: {}, pending: [], holds: [], now: 0 });
