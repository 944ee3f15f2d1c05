/** Errors of etcd's JSON gateway. */
import { etcdRefusal } from '../../kinds/ports/transport.ts';
import { WorkloadError } from '../../kinds/ports/workload.ts';

interface Refusal {
  code?: number;
  message?: string;
  error?: string;
}

export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The error for a response that is no success. */
export const gatewayRefusal = (
  { host, path, status }: { host: string; path: string; status: number },
  text: string,
): WorkloadError => {
  const { code, message, error } = (parsed(text) ?? {}) as Refusal;
  if (code === undefined) return new WorkloadError('InternalError', `${host} answered ${path} with ${status}`);
  return new WorkloadError(etcdRefusal(code), message ?? error ?? `${host} refused ${path}`);
};
