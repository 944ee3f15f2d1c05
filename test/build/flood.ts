/**
 * What strangers can make an installation pay in a day, from its template. docs/cost.md shows the result;
 * flood.test.ts compares the two.
 */
import { assumed, prices } from './bill.ts';
import { ofType, type Template } from './stacks.fixture.ts';

/** Requests a second that API Gateway accepts in an account and region. Source: its quotas, November 2026. */
const accountRate = 10_000;
const secondsADay = 86_400;
/** Dollars. Source: the price page of EC2, November 2026. */
const sentGigabyte = 0.09;

/** Assumed, not measured. */
const flood = {
  /** A line of the access log, and a refusal of the gateway with its headers. */
  line: 300,
  refusal: 700,
  /** Until STS rejects a token. */
  seconds: 0.2,
  /** A sampled event of the audit log, and how many a process writes in a second at most. */
  event: 1_000,
  events: 0.4,
};

interface MethodSettings {
  HttpMethod: string;
  ResourcePath: string;
  ThrottlingRateLimit: number;
}

const absent = (): never => {
  throw new Error('the template lacks a part of the API');
};

/** Each method of the gateway, with its throttle and the memory of its function. */
export const methodsOf = (template: Template) => {
  const [[, stage] = absent()] = ofType(template, 'AWS::ApiGateway::Stage');
  const settings = stage.Properties.MethodSettings as MethodSettings[];
  const throttleOf = (path: string, method: string) =>
    settings.find((one) => one.ResourcePath === `/${path.replaceAll('/', '~1')}` && one.HttpMethod === method) ??
    settings.find((one) => one.ResourcePath === '/*' && one.HttpMethod === '*');
  const resources = new Map(
    ofType(template, 'AWS::ApiGateway::Resource').map(([id, { Properties }]) => [id, Properties]),
  );
  const pathOf = (id: string | undefined): string => {
    const of = id === undefined ? undefined : resources.get(id);
    return of ? `${pathOf((of.ParentId as { Ref?: string }).Ref)}/${String(of.PathPart)}` : '';
  };
  const functions = ofType(template, 'AWS::Lambda::Function');
  return ofType(template, 'AWS::ApiGateway::Method').map(([, { Properties }]) => {
    const path = pathOf((Properties.ResourceId as { Ref?: string }).Ref) || '/';
    const method = String(Properties.HttpMethod);
    const integration = JSON.stringify(Properties.Integration);
    const [, serving] = functions.find(([id]) => integration.includes(`"${id}"`)) ?? absent();
    const rate = throttleOf(path, method)?.ThrottlingRateLimit ?? accountRate;
    return { path, method, rate, gigabytes: Number(serving.Properties.MemorySize) / 1024 };
  });
};

const logged = (bytes: number) => (bytes / 1e9) * prices.loggedGigabyte;

export interface Flood {
  /** Requests a second that the gateway passes. */
  passed: number;
  /** Dollars a day of requests without a token. */
  withoutToken: number;
  /** The same with tokens that strangers invent. */
  invented: number;
  /** The same of requests beyond the throttles, at the limit of the account. */
  beyond: number;
}

export const floodOf = (template: Template): Flood => {
  const methods = methodsOf(template);
  const sum = (of: (method: (typeof methods)[number]) => number) =>
    methods.reduce((total, method) => total + of(method), 0);
  const passed = sum(({ rate }) => rate);
  const atGateway = prices.apiRequest + logged(flood.line);
  const atFunction = (gigabytes: number) =>
    prices.lambdaRequest +
    gigabytes * flood.seconds * prices.gigabyteSecond +
    logged(assumed.loggedBytes + flood.seconds * flood.events * flood.event);
  return {
    passed,
    withoutToken: passed * atGateway * secondsADay,
    invented: sum(({ rate, gigabytes }) => rate * (atGateway + atFunction(gigabytes))) * secondsADay,
    beyond: accountRate * (logged(flood.line) + (flood.refusal / 1e9) * sentGigabyte) * secondsADay,
  };
};

/** The table of docs/cost.md. */
export const renderFlood = (floods: readonly Flood[]): string => {
  const row = (name: string, of: (flood: Flood) => string) => `| ${[name, ...floods.map(of)].join(' | ')} |`;
  const dollars = (amount: number) => amount.toFixed(2);
  return [
    '| concurrent executions of the account | 10, as a new one has | 1,000 |',
    `|${'---|'.repeat(floods.length + 1)}`,
    row('requests a second that the gateway passes', ({ passed }) => passed.toFixed(0)),
    row('a day of them without a token', ({ withoutToken }) => dollars(withoutToken)),
    row('**a day of them with invented tokens**', ({ invented }) => `**${dollars(invented)}**`),
    row('a day of 10,000 a second, which it refuses', ({ beyond }) => dollars(beyond)),
  ].join('\n');
};
