/** A deployment can't go on; only the message is printed. */
export class DeployError extends Error {}
