/** What a Cluster records of the lifecycle hooks of runtime extensions. Pure. */

import type { LifecycleHook } from '../../common/hook-names.ts';
import { listOf } from '../../common/list-of.ts';

export const hookAnnotations = {
  /** The last answers, by hook. */
  answers: 'capstan.dev/hooks',
  /** Hooks whose event has come, each of which is called until it has passed. */
  pending: 'runtime.cluster.x-k8s.io/pending-hooks',
  /** BeforeClusterDelete lets the deletion go on. */
  okToDelete: 'runtime.cluster.x-k8s.io/ok-to-delete',
  /** While a Cluster has one with this prefix, no upgrade begins. */
  beforeUpgrade: 'before-upgrade.hook.cluster.cluster.x-k8s.io',
} as const;

export interface HookAnswer {
  /** What was asked about, such as a version. */
  about: string;
  /** When it was given. */
  at: string;
  /** Absent unless the hook blocks: until it is asked again, since when it blocks, and which handlers do. */
  retryAfterSeconds?: number;
  since?: string;
  by?: string[];
  message?: string;
}
export type HookAnswers = Partial<Record<LifecycleHook, HookAnswer>> & {
  /** The version for which hooks after a step of an upgrade are pending. */
  begun?: string;
  /** Why the hook before the deletion has no answer. */
  failed?: string;
};

interface Annotated {
  metadata: { annotations?: Record<string, string> };
}

export const answersOf = ({ metadata }: Annotated): HookAnswers => {
  const text = metadata.annotations?.[hookAnnotations.answers];
  try {
    return text === undefined ? {} : (JSON.parse(text) as HookAnswers);
  } catch {
    return {};
  }
};

export const pendingHooks = ({ metadata }: Annotated): string[] =>
  (metadata.annotations?.[hookAnnotations.pending] ?? '').split(',').filter((name) => name !== '');

/** When a blocking hook is asked again, in milliseconds. */
export const askedAgainAt = ({ at, retryAfterSeconds = 0 }: HookAnswer): number =>
  Date.parse(at) + retryAfterSeconds * 1000;

const iso = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');

/** In Cluster API's words. */
export const hookText = (hook: string, { message = '' }: Pick<HookAnswer, 'message'>): string => `${hook}: ${message}`;

/** Who blocks, since when, and for how long more. */
export const blockText = (hook: string, answer: HookAnswer): string => {
  const { by = [], since = answer.at, message } = answer;
  const reported = message ? `: ${message}` : '';
  return `hook ${hook} has been blocking since ${since} (${listOf(by)}), and is asked again at ${iso(askedAgainAt(answer))}${reported}`;
};

/** In the order of their calls. */
const beforeWorkers: readonly LifecycleHook[] = ['AfterControlPlaneUpgrade', 'BeforeWorkersUpgrade'];

/** What keeps the workers of an upgrade waiting once the control plane has its version; undefined if nothing does. */
export const hookBeforeWorkers = (cluster: Annotated): string | undefined => {
  const pending = pendingHooks(cluster);
  const hook = beforeWorkers.find((one) => pending.includes(one));
  if (hook === undefined) return undefined;
  const answer = answersOf(cluster)[hook];
  return answer?.retryAfterSeconds === undefined
    ? `waiting for the answer of hook ${hook}`
    : `waiting: ${blockText(hook, answer)}`;
};

/** What BeforeClusterDelete says of a deletion that waits for it. */
export const deletionHookText = (cluster: Annotated): string => {
  const block = deletionBlock(cluster);
  return block === undefined ? 'Waiting for the answer of hook BeforeClusterDelete' : `Waiting: ${block}`;
};

/** Undefined unless the hook has said that the deletion must wait, or cannot be asked. */
export const deletionBlock = (cluster: Annotated): string | undefined => {
  const { annotations = {} } = cluster.metadata;
  if (annotations[hookAnnotations.okToDelete] !== undefined) return undefined;
  const { failed, BeforeClusterDelete: answer } = answersOf(cluster);
  if (failed !== undefined) return `hook BeforeClusterDelete has no answer: ${failed}`;
  return answer?.retryAfterSeconds === undefined ? undefined : blockText('BeforeClusterDelete', answer);
};
