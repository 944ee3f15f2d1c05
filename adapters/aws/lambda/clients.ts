/** AWS clients of the functions. Region, credentials and endpoints come from Lambda's variables. */
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { systemClock } from '../../memory/clock.ts';
import { withFreshConnections } from './fresh-connections.ts';

/** Shorter than any function's time limit, and than a lease. */
const requestHandler = { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true } as const;
export const settings = { customUserAgent: 'capstan', maxAttempts: 3, requestHandler } as const;

/** The Table adapter decides about retries, so the SDK must not retry. */
export const dynamoDb = (): DynamoDBClient => {
  // The SDK also loads HTTPS with its first request.
  const { Agent } = process.getBuiltinModule('node:https');
  const httpsAgent = new Agent({ keepAlive: true, maxSockets: 50 });
  const own = { ...settings, maxAttempts: 1, requestHandler: { ...requestHandler, httpsAgent } };
  return withFreshConnections(new DynamoDBClient(own), httpsAgent, systemClock);
};
/** With retries, for functions that only read. */
export const patientDynamoDb = (): DynamoDBClient => new DynamoDBClient({ ...settings, maxAttempts: 6 });
export const cloudWatchLogs = (): CloudWatchLogsClient => new CloudWatchLogsClient(settings);
export const kms = (): KMSClient => new KMSClient(settings);
export const stepFunctionsClient = (): SFNClient => new SFNClient(settings);
export const sqs = (): SQSClient => new SQSClient(settings);
export const ssm = (): SSMClient => new SSMClient(settings);
