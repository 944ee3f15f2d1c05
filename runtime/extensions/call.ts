/** One call of a runtime extension: where it goes, and what its answer means. */
import { hooksVersion } from '../../kinds/common/hook-names.ts';
import { isObject, type JsonObject } from '../../machinery/api/object.ts';
import type { CallWebhook, WebhookTarget } from '../../machinery/api/webhook.ts';
import type { Registration } from './registrations.ts';

/** What an extension of a user did is a fault of the user's, not of the installation. */
export class ExtensionFailed extends Error {
  readonly isExternal = true;
}

/** There was no answer, or none that can be read: the failure policy decides. */
class NoAnswer extends ExtensionFailed {}

const withPath = ({ service, url, ...rest }: WebhookTarget, path: string): WebhookTarget =>
  service
    ? { ...rest, service: { ...service, path: `${(service.path ?? '').replace(/\/+$/, '')}${path}` } }
    : { ...rest, ...(url !== undefined && { url: url.replace(/\/+$/, '') }), path };

const pathOf = (hook: string, handler: string | undefined): string =>
  ['', hooksVersion, hook.toLowerCase(), ...(handler === undefined ? [] : [handler.toLowerCase()])].join('/');

interface Call {
  clientConfig: WebhookTarget;
  hook: string;
  /** Absent for Discovery, which an extension answers as a whole. */
  handler?: string;
  timeoutSeconds: number;
  settings: Record<string, string>;
}

/** The answer, which says Success. */
export const callExtension = async (
  callWebhook: CallWebhook,
  { clientConfig, hook, handler, timeoutSeconds, settings }: Call,
  fields: JsonObject,
): Promise<JsonObject> => {
  const request = { apiVersion: hooksVersion, kind: `${hook}Request`, settings, ...fields };
  let answer: unknown;
  try {
    answer = await callWebhook(withPath(clientConfig, pathOf(hook, handler)), request, {
      timeout: timeoutSeconds * 1000,
    });
  } catch (error) {
    throw new NoAnswer((error as Error).message, { cause: error });
  }
  if (!isObject(answer)) throw new NoAnswer('the answer is no object');
  const { status, message } = answer;
  if (status === 'Failure') throw new ExtensionFailed(`it answered Failure: ${message || 'without a message'}`);
  if (status !== 'Success') throw new NoAnswer('the answer has no status Success or Failure');
  return answer as JsonObject;
};

/** Calls one handler by its failure policy. Rejects with what a user may read. */
export const callHandler = async (
  callWebhook: CallWebhook,
  { name, isIgnored, ...registration }: Registration,
  fields: JsonObject,
): Promise<JsonObject> => {
  try {
    return await callExtension(callWebhook, registration, fields);
  } catch (error) {
    if (isIgnored && error instanceof NoAnswer) return { status: 'Success' };
    throw new ExtensionFailed(`handler ${name} of hook ${registration.hook}: ${(error as Error).message}`, {
      cause: error,
    });
  }
};
