/**
 * The task of all workflow states: it records the waiting task, then requeues the object, because
 * the awaited state may already be reached. The object's controller decides what the step means.
 */
import type { Work, WorkKey } from '../controller/index.ts';
import type { Awaits } from './awaits.ts';

/** The input from a state. `error` is the name of the error that led to it. */
export interface TaskInput {
  task: string;
  token: string;
  operation: { namespace: string; name: string; uid: string };
  error?: string;
}

export interface OperateOptions {
  awaits: Pick<Awaits, 'add'>;
  work: Pick<Work, 'request'>;
  /** The controller that answers, and the type of its objects. */
  controller: string;
  type: string;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Throws for an input that no release of Capstan sends; the workflow then goes on hold. */
export const taskInputOf = (payload: unknown): TaskInput => {
  const { task, token, operation, error } = (payload ?? {}) as Record<string, unknown>;
  const { namespace, name, uid } = (operation ?? {}) as Record<string, unknown>;
  if (![task, token, namespace, name, uid].every(isText))
    throw new Error('the input names no task, token or operation');
  return {
    task: task as string,
    token: token as string,
    operation: { namespace: namespace as string, name: name as string, uid: uid as string },
    ...(isText(error) && { error }),
  };
};

export const createOperate =
  ({ awaits, work, controller, type }: OperateOptions) =>
  async (payload: unknown): Promise<void> => {
    const { task, token, operation, error } = taskInputOf(payload);
    const { namespace, name, uid } = operation;
    await awaits.add(type, { namespace, name }, { step: task, uid, token, ...(error && { error }) });
    const key: WorkKey = { controller, type, namespace, name };
    await work.request(key, { urgent: true });
  };
