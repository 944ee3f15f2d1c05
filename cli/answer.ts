/** What a server answered, as data or as one sentence for the user. */
import type { KubeObject } from '../machinery/api/object.ts';
import { CliError } from './errors.ts';

export interface Answer {
  code: number;
  body: string;
  /** The server's time in milliseconds, if its response contains one. */
  date?: number;
}

export type Send = (method: string, path: string, options?: { body?: string; contentType?: string }) => Promise<Answer>;

const longest = 200;

/** A gateway or a proxy answers in HTML. */
const textOf = (body: string): string =>
  body
    .replaceAll(/<(style|script|title)\b[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, longest);

/** The message of the server. */
export const messageOf = ({ code, body }: Answer): string => {
  let message: unknown;
  try {
    ({ message } = JSON.parse(body) as { message?: unknown });
  } catch {
    message = undefined;
  }
  if (typeof message === 'string' && message !== '') return message;
  const text = body.trimStart().startsWith('{') ? '' : textOf(body);
  return `the server answered with HTTP status ${code}${text && `: ${text}`}`;
};

/** 401 comes with no more than one word. */
export const refusalOf = (answer: Answer): CliError =>
  new CliError(
    answer.code === 401
      ? `the server does not accept the credentials of the kubeconfig (${messageOf(answer)}): log in again, or name another with --kubeconfig`
      : messageOf(answer),
  );

export const dataOf = <T>(text: string): T => {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new CliError(
      `the server's answer is not whole, or no JSON (${textOf(text).slice(0, 60) || 'it is empty'}): check the server of the kubeconfig, and what is between here and it`,
      1,
      { cause: error },
    );
  }
};

/** The reading methods, over any transport. */
export const parsing = (request: Send) => ({
  request,
  /** The parsed body; throws CliError with the server's own message for any code from 400 on. */
  json: async <T>(...call: Parameters<Send>): Promise<T> => {
    const answer = await request(...call);
    if (answer.code >= 400) throw refusalOf(answer);
    return dataOf<T>(answer.body);
  },
  /** The object, or undefined on 404. */
  find: async <T = KubeObject>(to: string): Promise<T | undefined> => {
    const answer = await request('GET', to);
    if (answer.code === 404) return undefined;
    if (answer.code >= 400) throw refusalOf(answer);
    return dataOf<T>(answer.body);
  },
});
