/** Conversion of objects by a webhook of the user, as Kubernetes asks for it and checks its answer. */
import { ApiError } from '../api/errors.ts';
import { isObject, type KubeObject } from '../api/object.ts';
import type { CallWebhook } from '../api/webhook.ts';
import type { Conversion } from './definition.ts';

export type Convert = (objects: readonly KubeObject[], apiVersion: string) => Promise<KubeObject[]>;

/** Objects of one call, and their bytes: an AWS Lambda takes six megabytes. */
const most = { objects: 500, bytes: 4 * 1024 * 1024 };

/** Calls that each carry a part of the objects. */
const partsOf = (objects: readonly KubeObject[]): KubeObject[][] => {
  const parts: KubeObject[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const object of objects) {
    const size = Buffer.byteLength(JSON.stringify(object));
    if (bytes + size > most.bytes || parts.at(-1)!.length >= most.objects) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)!.push(object);
    bytes += size;
  }
  return parts;
};

const shownType = ({ apiVersion, kind }: KubeObject): string => `${apiVersion}, Kind=${kind}`;

const textsOf = (value: unknown, field: string): Record<string, string> | undefined => {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw new Error(`invalid metadata.${field} of type ${typeof value} in converted object`);
  for (const [key, text] of Object.entries(value))
    if (typeof text !== 'string')
      throw new Error(`metadata.${field}[${key}] must be a string, but is ${typeof text} in converted object`);
  return value as Record<string, string>;
};

/** The converted object: of metadata, a webhook may change labels and annotations alone. */
const checked = (converted: unknown, object: KubeObject, apiVersion: string, at: number): KubeObject => {
  const fail = (what: string): never => {
    throw new Error(`returned invalid converted object at index ${at}: ${what}`);
  };
  if (!isObject(converted)) return fail('it is no object');
  if (converted.apiVersion !== apiVersion)
    return fail(`invalid groupVersion (expected ${apiVersion}, received ${converted.apiVersion})`);
  if (converted.kind !== object.kind) return fail(`invalid kind (expected ${object.kind}, received ${converted.kind})`);
  if (!isObject(converted.metadata))
    throw new Error(`returned invalid metadata in object at index ${at}: missing metadata in converted object`);
  const { metadata } = converted;
  for (const [field, shown] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const)
    if ((metadata[field] ?? '') !== (object.metadata[field] ?? ''))
      return fail(`must have the same ${shown}: ${object.metadata[field] ?? ''} != ${metadata[field] ?? ''}`);
  try {
    const { labels: _, annotations: __, ...kept } = object.metadata;
    const [labels, annotations] = [textsOf(metadata.labels, 'labels'), textsOf(metadata.annotations, 'annotations')];
    return {
      ...converted,
      metadata: { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) },
    } as KubeObject;
  } catch (error) {
    throw new Error(`returned invalid metadata in object at index ${at}: ${(error as Error).message}`);
  }
};

const answerOf = (review: unknown, version: string, uid: string): unknown[] => {
  const wanted = `apiextensions.k8s.io/${version}, Kind=ConversionReview`;
  if (
    !isObject(review) ||
    review.kind !== 'ConversionReview' ||
    review.apiVersion !== `apiextensions.k8s.io/${version}`
  ) {
    const { apiVersion = '', kind = '' } = isObject(review) ? review : {};
    throw new Error(`failed: expected webhook response of ${wanted}, got ${apiVersion}, Kind=${kind}`);
  }
  const { response } = review;
  if (!isObject(response)) throw new Error('failed: no response provided');
  if (version === 'v1' && response.uid !== uid)
    throw new Error(`failed: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  const result = isObject(response.result) ? response.result : {};
  if (result.status !== 'Success')
    throw new Error(
      `failed: ${result.message || `response.result.status was '${result.status ?? ''}', not 'Success'`}`,
    );
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
};

/** Converts by the webhook of a definition. Objects that are in the version are not sent. */
export const converterOf = (
  { webhook }: Conversion,
  { call, uid }: { call: CallWebhook; uid: () => string },
): Convert => {
  const version = webhook?.conversionReviewVersions.find((one) => one === 'v1' || one === 'v1beta1') ?? 'v1';
  const convertPart = async (objects: KubeObject[], desiredAPIVersion: string): Promise<KubeObject[]> => {
    try {
      const request = { uid: uid(), desiredAPIVersion, objects };
      const body = { kind: 'ConversionReview', apiVersion: `apiextensions.k8s.io/${version}`, request };
      const review = await call(webhook?.clientConfig ?? {}, body).catch((error: unknown) => {
        throw new Error(`failed: ${(error as Error).message}`);
      });
      const converted = answerOf(review, version, request.uid);
      if (converted.length !== objects.length)
        throw new Error(`returned ${converted.length} objects, expected ${objects.length}`);
      return objects.map((object, i) => checked(converted[i], object, desiredAPIVersion, i));
    } catch (error) {
      const message = `conversion webhook for ${shownType(objects[0]!)} ${(error as Error).message}`;
      throw new ApiError(500, '', message, undefined, { cause: error });
    }
  };
  return async (objects, apiVersion) => {
    const others = objects.filter((object) => object.apiVersion !== apiVersion);
    const converted = (await Promise.all(partsOf(others).map((part) => convertPart(part, apiVersion)))).flat();
    const byObject = new Map(others.map((object, i) => [object, converted[i]!]));
    return objects.map((object) => byObject.get(object) ?? object);
  };
};
