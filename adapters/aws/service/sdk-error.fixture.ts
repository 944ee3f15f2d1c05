/** An error as an SDK client throws it after AWS answered, for mocked clients. */
export const sdkError = (name: string, message = `${name}.`, httpStatusCode = 400): Error =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode, attempts: 1 } });
