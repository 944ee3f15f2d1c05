/** Translates DynamoDB's errors into the Table port's. */
import { OutcomeUnknown, Refused, Throttled, TransactionRefused } from '../../../machinery/ports.ts';
import { type Attempt, translated as translatedByService } from '../service/error.ts';
import { type DynamoItem, fromDynamo } from './value.ts';

interface Reason {
  Code?: string;
  Item?: DynamoItem;
}
interface Failure {
  name?: string;
  code?: string;
  Item?: DynamoItem;
  CancellationReasons?: Reason[];
  $metadata?: { httpStatusCode?: number };
}

const throttles = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'TransactionConflictException',
  'TransactionInProgressException',
  'ReplicatedWriteConflictException',
]);
const passing = new Set(['TransactionConflict', 'ProvisionedThroughputExceeded', 'ThrottlingError']);

const cancelled = (reasons: Reason[], error: unknown): unknown => {
  const refused = reasons.map(({ Code }) => Code === 'ConditionalCheckFailed');
  if (refused.includes(true)) return new TransactionRefused(refused);
  if (reasons.some(({ Code }) => passing.has(Code ?? '')))
    return new Throttled('a transaction was cancelled', { cause: error });
  return error;
};

/** Defects of this code: rethrown unchanged, because a retry cannot help. */
const ours = new Set([
  'ValidationException',
  'SerializationException',
  'IdempotentParameterMismatchException',
  'ItemCollectionSizeLimitExceededException',
  'TransactionCanceledException',
]);

/**
 * The error for a failed read or write. A write without an answer has an unknown outcome; other errors carry
 * advice.
 */
export const translated = (error: unknown, wrote: boolean, attempt: Attempt): unknown => {
  const { name = '', code, Item, CancellationReasons, $metadata } = (error ?? {}) as Failure;
  if (name === 'ConditionalCheckFailedException') return new Refused(Item && fromDynamo(Item));
  if (name === 'TransactionCanceledException') return cancelled(CancellationReasons ?? [], error);
  if (throttles.has(name)) return new Throttled(name, { cause: error });
  const status = $metadata?.httpStatusCode;
  const isAnswered = status !== undefined && status < 500;
  // Without a connection or credentials, nothing was sent.
  if (isAnswered) return ours.has(name) ? error : translatedByService(error, attempt);
  if (name === 'CredentialsProviderError' || neverSent.has(code ?? '')) return translatedByService(error, attempt);
  if (!mayHaveArrived(error)) return error;
  return wrote ? new OutcomeUnknown(name, { cause: error }) : new Throttled(name, { cause: error });
};

const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
const mayHaveArrived = (error: unknown): boolean => {
  const { name, code, $metadata } = (error ?? {}) as { name?: string; code?: string; $metadata?: object };
  return $metadata !== undefined || code !== undefined || name === 'TimeoutError' || name === 'AbortError';
};
