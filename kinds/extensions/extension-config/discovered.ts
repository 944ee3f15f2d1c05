/** What an extension said about its handlers. Pure. */
import { isObject, type JsonObject } from '../../../machinery/api/object.ts';
import { hooksVersion, knownHooks } from '../../common/hook-names.ts';
import { dnsLabel } from '../../common/schema.ts';
import type { ExtensionConfigStatus } from './schema.ts';

type Handlers = NonNullable<ExtensionConfigStatus['handlers']>;

const defaultTimeout = 10;
const mostSeconds = 30;
const isLabel = new RegExp(dnsLabel);

const handlerFaults = (handler: JsonObject): string[] => {
  const { name, requestHook, timeoutSeconds, failurePolicy } = handler;
  const { apiVersion, hook } = isObject(requestHook) ? requestHook : {};
  const which = `handler ${JSON.stringify(name ?? '')}`;
  const isTimeout =
    timeoutSeconds === undefined ||
    (Number.isInteger(timeoutSeconds) && Number(timeoutSeconds) >= 0 && Number(timeoutSeconds) <= mostSeconds);
  return [
    ...(typeof name === 'string' && name.length <= 63 && isLabel.test(name) ? [] : [`${which}: no DNS label`]),
    ...(isTimeout ? [] : [`${which}: timeoutSeconds must be from 0 to ${mostSeconds}`]),
    ...(failurePolicy === undefined || failurePolicy === 'Ignore' || failurePolicy === 'Fail'
      ? []
      : [`${which}: failurePolicy must be Ignore or Fail`]),
    ...(apiVersion === hooksVersion && typeof hook === 'string' && knownHooks.includes(hook)
      ? []
      : [`${which}: hook ${apiVersion ?? ''} ${hook ?? ''} is not known`]),
  ];
};

/** The handlers under their names with that of the extension, or why the answer cannot be used. */
export const discoveredHandlers = (
  extension: string,
  { handlers = [] }: JsonObject,
): { handlers: Handlers } | { fault: string } => {
  if (!Array.isArray(handlers) || !handlers.every((one) => isObject(one))) return { fault: 'handlers is no list' };
  const all = handlers as JsonObject[];
  const names = all.map(({ name }) => name);
  const repeated = names.find((name, i) => names.indexOf(name) < i);
  const faults = [
    ...all.flatMap(handlerFaults),
    ...(repeated === undefined ? [] : [`handler ${JSON.stringify(repeated)} is listed twice`]),
  ];
  if (faults.length > 0) return { fault: faults.join('; ') };
  return {
    handlers: all
      .map(({ name, requestHook, timeoutSeconds, failurePolicy }) => ({
        name: `${name}.${extension}`,
        requestHook: requestHook as { apiVersion: string; hook: string },
        timeoutSeconds: Number(timeoutSeconds ?? 0) || defaultTimeout,
        failurePolicy: (failurePolicy ?? 'Fail') as 'Fail' | 'Ignore',
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
};
