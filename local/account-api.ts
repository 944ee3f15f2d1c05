/** What the command line asks of the simulated account, beside the Kubernetes API and behind the same token. */
import { CloudError } from '../kinds/ports/cloud.ts';
import type { Account } from '../simulation/aws/index.ts';

const root = '/capstan.dev/account';

const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });

const terminate = (account: Account, instanceId: string): Response => {
  try {
    account.terminate(instanceId);
    return json({ instanceId });
  } catch (error) {
    if (error instanceof CloudError) return json({ message: `${error.code}: ${error.message}` }, 404);
    throw error;
  }
};

/** Answers a request for the account, or undefined when it is not for it. */
export const accountApi = (account: Account, request: Request): Response | undefined => {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(`${root}/`)) return undefined;
  const [collection, id, verb] = pathname.slice(root.length + 1).split('/');
  if (request.method === 'GET' && collection === 'resources') return json({ items: account.list() });
  if (request.method === 'GET' && collection === 'calls') return json({ items: account.calls() });
  if (request.method === 'POST' && collection === 'instances' && id && verb === 'terminate') {
    return terminate(account, decodeURIComponent(id));
  }
  return json({ message: 'no such path of the account' }, 404);
};
