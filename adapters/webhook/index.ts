/** Calls webhooks of users over HTTPS, with the certificates that a user names. */
import type { CallWebhook, WebhookTarget } from '../../machinery/api/webhook.ts';
import { type HttpsLimits, isTimeout, requestOverHttps } from '../https/index.ts';
import { bodyOf, eventOf, functionAt, type InvokeFunction, jsonOf } from './function.ts';

export interface WebhookOptions extends Partial<Omit<HttpsLimits, 'sender'>> {
  /** Calls AWS Lambda functions; absent where there is no account. */
  invoke?: InvokeFunction;
}

const seconds = (timeout: number): string => `timeout=${Math.ceil(timeout / 1000)}s`;

const post = async (
  { url, path = '', caBundle, serverName }: WebhookTarget,
  body: Buffer,
  query: string,
  limits: HttpsLimits,
): Promise<string> => {
  const to = new URL(`${url}${path}`);
  to.search = query;
  const answer = await requestOverHttps(
    {
      to,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body,
      ...(caBundle && { ca: Buffer.from(caBundle, 'base64') }),
      ...(serverName && { serverName }),
    },
    limits,
  );
  if (answer.status !== 200) throw new Error(`the server responded with the status code ${answer.status}`);
  return answer.body.toString();
};

/** What a call that failed was, as Go's HTTP client reports it. */
const failed = (url: string, error: unknown): Error =>
  new Error(`Post "${url}": ${isTimeout(error) ? 'context deadline exceeded' : (error as Error).message}`, {
    cause: error,
  });

export const webhookCaller = ({
  timeout: defaultTimeout = 10_000,
  longest = 20 * 1024 * 1024,
  allowsLocal = false,
  invoke,
}: WebhookOptions = {}): CallWebhook => {
  const answerOf = async (target: WebhookTarget, body: unknown, timeout: number, query: string): Promise<unknown> => {
    const name = functionAt(target.url!);
    if (name === undefined) {
      const payload = Buffer.from(JSON.stringify(body));
      return jsonOf(await post(target, payload, query, { timeout, longest, allowsLocal, sender: 'webhooks' }));
    }
    if (!invoke) throw new Error('functions of AWS Lambda are called by an installation on AWS alone');
    return bodyOf(await invoke(name, eventOf(target.path ?? '', query, body), timeout));
  };
  return async (target, body, { timeout } = {}) => {
    if (target.url === undefined) throw new Error('the webhook has no url');
    const query = timeout === undefined ? '' : seconds(timeout);
    try {
      return await answerOf(target, body, timeout ?? defaultTimeout, query);
    } catch (error) {
      throw failed(`${target.url}${target.path ?? ''}${query && `?${query}`}`, error);
    }
  };
};
