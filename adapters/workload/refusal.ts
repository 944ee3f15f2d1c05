/** Interprets error responses of an API server. */
import { WorkloadError } from '../../kinds/ports/workload.ts';

const fallbacks: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

interface Status {
  reason?: string;
  message?: string;
  details?: { causes?: { message?: string }[] };
}

const statusOf = (answer: string): Status => {
  try {
    return (JSON.parse(answer) ?? {}) as Status;
  } catch {
    // Proxies and load balancers do not answer with a Status.
    return {};
  }
};

/** From the Status, if there is one. */
export const refusalOf = (status: number, answer: string): WorkloadError => {
  const { reason, message, details } = statusOf(answer);
  // Only the causes name the blocking disruption budget; other messages contain their causes.
  const causes = status === 429 ? (details?.causes ?? []).map((cause) => cause.message ?? '') : [];
  const text = [message || `the server answered ${status}`, ...causes].join(' ');
  return new WorkloadError(reason || fallbacks[status] || 'InternalError', text);
};
