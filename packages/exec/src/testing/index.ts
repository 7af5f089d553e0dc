export { type ModelReply, type ModelRequest, type ModelScript, ModelServer } from "./model-server.ts";
