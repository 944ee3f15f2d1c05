/** What an API server's refusal means. */
import { WorkloadError } from '../../kinds/ports/workload.ts';

const fallbacks: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const statusOf = (answer: string): { reason?: string; message?: string } => {
  try {
    return (JSON.parse(answer) ?? {}) as { reason?: string; message?: string };
  } catch {
    // Proxies and load balancers answer in their own words.
    return {};
  }
};

/** From its Status, where it sent one. */
export const refusalOf = (status: number, answer: string): WorkloadError => {
  const { reason, message } = statusOf(answer);
  return new WorkloadError(reason || fallbacks[status] || 'InternalError', message || `the server answered ${status}`);
};
