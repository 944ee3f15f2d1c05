/** Conditions of a NodeadmConfig, with the AWS provider's types and reasons. */
export const dataSecretAvailable = 'DataSecretAvailable';
export const generationFailed = 'DataSecretGenerationFailed';
