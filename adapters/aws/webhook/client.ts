import { LambdaClient } from '@aws-sdk/client-lambda';

/** A function that is called as a webhook answers within the time of the request, or not at all. */
export const lambdaClient = (): LambdaClient => new LambdaClient({ customUserAgent: 'capstan', maxAttempts: 1 });
